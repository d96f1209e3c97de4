#include "suite.h"

#include <stdlib.h> /* EXIT_SUCCESS */

int suite_run(Suite *s)
{
    SRunner *const runner = srunner_create(s);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
