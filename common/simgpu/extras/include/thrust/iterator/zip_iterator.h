/* thrust/iterator/zip_iterator.h: tuples of the elements of several ranges */
#ifndef SIMGPU_THRUST_ZIP_ITERATOR_H
#define SIMGPU_THRUST_ZIP_ITERATOR_H

#include "thrust/detail/facade.h"
#include "thrust/tuple.h"

namespace thrust
{
template <class Tuple> class zip_iterator;

template <class... It>
class zip_iterator<tuple<It...>>
    : public detail::facade<zip_iterator<tuple<It...>>,
                            tuple<iterator_value_t<It>...>,
                            tuple<iterator_reference_t<It>...>>
{
    tuple<It...> its;

    template <size_t... I> auto here(std::index_sequence<I...>) const
    {
        return tuple<iterator_reference_t<It>...>(*std::get<I>(its)...);
    }
    template <size_t... I> void move(ptrdiff_t by, std::index_sequence<I...>)
    {
        const int all[] = {((void)(std::get<I>(its) += by), 0)...};
        (void)all;
    }

  public:
    enum { system = detail::highest_system<It...>() };
    zip_iterator() = default;
    zip_iterator(tuple<It...> its) : its(its) {}
    zip_iterator(It... its) : its(its...) {}
    const tuple<It...> &get_iterator_tuple() const
    {
        return its;
    }
    tuple<iterator_reference_t<It>...> dereference() const
    {
        return here(std::index_sequence_for<It...>());
    }
    void advance(ptrdiff_t by)
    {
        move(by, std::index_sequence_for<It...>());
    }
    ptrdiff_t distance_to(const zip_iterator &other) const
    {
        return std::get<0>(other.its) - std::get<0>(its);
    }
};
template <class... It>
zip_iterator<tuple<It...>> make_zip_iterator(tuple<It...> its)
{
    return zip_iterator<tuple<It...>>(its);
}
template <class... It> zip_iterator<tuple<It...>> make_zip_iterator(It... its)
{
    return zip_iterator<tuple<It...>>(tuple<It...>(its...));
}

namespace detail
{
template <class... It, size_t... I>
auto bare_zip(const tuple<It...> &its, std::index_sequence<I...>)
{
    return zip_iterator<tuple<bare_type<It>...>>(
        tuple<bare_type<It>...>(bare(std::get<I>(its))...));
}
template <class... It> auto bare(const zip_iterator<tuple<It...>> &z)
{
    return bare_zip(z.get_iterator_tuple(), std::index_sequence_for<It...>());
}
} // namespace detail
} // namespace thrust
#endif
