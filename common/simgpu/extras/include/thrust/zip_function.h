/* thrust/zip_function.h: f(a, b, ...) as a function of a tuple */
#ifndef SIMGPU_THRUST_ZIP_FUNCTION_H
#define SIMGPU_THRUST_ZIP_FUNCTION_H

#include "thrust/tuple.h"

namespace thrust
{
template <class F> class zip_function
{
    mutable F f;

    template <class Tuple, size_t... I>
    decltype(auto) call(Tuple &&t, std::index_sequence<I...>) const
    {
        return f(std::get<I>(std::forward<Tuple>(t))...);
    }

  public:
    zip_function(F f) : f(f) {}
    template <class Tuple> decltype(auto) operator()(Tuple &&t) const
    {
        return call(
            std::forward<Tuple>(t),
            std::make_index_sequence<tuple_size<std::decay_t<Tuple>>::value>());
    }
};
template <class F> zip_function<std::decay_t<F>> make_zip_function(F &&f)
{
    return zip_function<std::decay_t<F>>(std::forward<F>(f));
}
} // namespace thrust
#endif
