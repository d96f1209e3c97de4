#include "suite.h"

#include <stdlib.h> /* setenv */

int suite_run(Suite *s)
{
    // Messages carry what children printed; check ends a test whose doesn't fit.
    setenv("CK_MAX_MSG_SIZE", "1048576", 0);
    SRunner *const runner = srunner_create(s);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
