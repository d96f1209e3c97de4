/* thrust/detail/type_traits.h: those of the host */
#include <type_traits>
