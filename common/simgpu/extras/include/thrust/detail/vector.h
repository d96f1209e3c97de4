/*
 * vector.h: host_vector, device_vector and universal_vector
 *
 * One class serves all three; its Space says where the memory is and how
 * elements are accessed. As on a GPU, elements are moved as bytes when a vector
 * grows.
 */
#ifndef SIMGPU_THRUST_VECTOR_H
#define SIMGPU_THRUST_VECTOR_H

#include <initializer_list>
#include <stdexcept>
#include <stdlib.h>
#include <vector>

#include "thrust/detail/move.h"
#include "thrust/detail/pointer.h"
#include "thrust/detail/universal.h"
#include "thrust/iterator/constant_iterator.h"
#include "thrust/iterator/reverse_iterator.h"
#include "thrust/tuple.h"

namespace thrust
{
namespace detail
{
struct host_space {
    template <class T> using pointer = T *;
    template <class T> using reference = T &;
    static void *allocate(size_t nbytes)
    {
        void *const p = aligned_alloc(256, (nbytes + 255) / 256 * 256);
        if (!p)
            throw std::bad_alloc();
        return p;
    }
    static void release(void *p)
    {
        free(p);
    }
};
struct device_space {
    template <class T> using pointer = device_ptr<T>;
    template <class T> using reference = device_reference<T>;
    static void *allocate(size_t nbytes)
    {
        void *p;
        must(cudaMalloc(&p, nbytes), "device memory");
        return p;
    }
    static void release(void *p)
    {
        (void)cudaFree(p); // at the program's end there may be no device
    }
};
struct universal_space : device_space {
    template <class T> using pointer = universal_ptr<T>;
    template <class T> using reference = T &;
    static void *allocate(size_t nbytes)
    {
        void *p;
        must(cudaMallocManaged(&p, nbytes), "managed memory");
        return p;
    }
};

template <class T, class Space> class vector
{
    T *p = nullptr;
    size_t n = 0, room = 0;

  public:
    typedef T value_type;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;
    typedef typename Space::template pointer<T> pointer, iterator;
    typedef typename Space::template pointer<const T> const_pointer,
        const_iterator;
    typedef typename Space::template reference<T> reference;
    typedef typename Space::template reference<const T> const_reference;
    typedef thrust::reverse_iterator<iterator> reverse_iterator;
    typedef thrust::reverse_iterator<const_iterator> const_reverse_iterator;

    vector() = default;
    explicit vector(size_t n)
    {
        resize(n);
    }
    vector(size_t n, const T &value)
    {
        resize(n, value);
    }
    template <class It,
              class = typename std::iterator_traits<It>::iterator_category>
    vector(It first, It last)
    {
        assign(first, last);
    }
    vector(std::initializer_list<T> list)
    {
        assign(list.begin(), list.end());
    }
    vector(const vector &other)
    {
        assign(other.begin(), other.end());
    }
    vector(vector &&other) noexcept
    {
        swap(other);
    }
    template <class U, class Other> vector(const vector<U, Other> &other)
    {
        assign(other.begin(), other.end());
    }
    template <class U, class A> vector(const std::vector<U, A> &other)
    {
        assign(other.begin(), other.end());
    }
    ~vector()
    {
        if (p)
            Space::release(p);
    }
    vector &operator=(const vector &other)
    {
        if (this != &other)
            assign(other.begin(), other.end());
        return *this;
    }
    vector &operator=(vector &&other) noexcept
    {
        swap(other);
        return *this;
    }
    template <class U, class Other>
    vector &operator=(const vector<U, Other> &other)
    {
        assign(other.begin(), other.end());
        return *this;
    }
    template <class U, class A>
    vector &operator=(const std::vector<U, A> &other)
    {
        assign(other.begin(), other.end());
        return *this;
    }
    vector &operator=(std::initializer_list<T> list)
    {
        assign(list.begin(), list.end());
        return *this;
    }

    size_t size() const
    {
        return n;
    }
    size_t capacity() const
    {
        return room;
    }
    bool empty() const
    {
        return n == 0;
    }
    pointer data()
    {
        return pointer(p);
    }
    const_pointer data() const
    {
        return const_pointer(p);
    }
    iterator begin()
    {
        return iterator(p);
    }
    iterator end()
    {
        return iterator(p + n);
    }
    const_iterator begin() const
    {
        return const_iterator(p);
    }
    const_iterator end() const
    {
        return const_iterator(p + n);
    }
    const_iterator cbegin() const
    {
        return begin();
    }
    const_iterator cend() const
    {
        return end();
    }
    reverse_iterator rbegin()
    {
        return reverse_iterator(end());
    }
    reverse_iterator rend()
    {
        return reverse_iterator(begin());
    }
    const_reverse_iterator rbegin() const
    {
        return const_reverse_iterator(end());
    }
    const_reverse_iterator rend() const
    {
        return const_reverse_iterator(begin());
    }
    reference operator[](size_t i)
    {
        return *iterator(p + i);
    }
    const_reference operator[](size_t i) const
    {
        return *const_iterator(p + i);
    }
    reference front()
    {
        return *begin();
    }
    const_reference front() const
    {
        return *begin();
    }
    reference back()
    {
        return *iterator(p + n - 1);
    }
    const_reference back() const
    {
        return *const_iterator(p + n - 1);
    }

    void reserve(size_t wanted)
    {
        if (wanted <= room)
            return;
        T *const larger = (T *)Space::allocate(wanted * sizeof(T));
        if (n)
            must(cudaMemcpy((void *)larger, (const void *)p, n * sizeof(T),
                            cudaMemcpyDefault),
                 "moving a vector");
        if (p)
            Space::release(p);
        p = larger;
        room = wanted;
    }
    void resize(size_t wanted)
    {
        resize(wanted, T());
    }
    void resize(size_t wanted, const T &value)
    {
        if (wanted > n) {
            reserve(wanted);
            move_items(constant_iterator<T>(value),
                       constant_iterator<T>(value, wanted - n),
                       iterator(p + n));
        }
        n = wanted;
    }
    void shrink_to_fit()
    {
        vector(*this).swap(*this);
    }
    void clear()
    {
        n = 0;
    }
    void push_back(const T &value)
    {
        if (n == room)
            reserve(room ? 2 * room : 1);
        resize(n + 1, value);
    }
    void pop_back()
    {
        n--;
    }
    void swap(vector &other)
    {
        std::swap(p, other.p);
        std::swap(n, other.n);
        std::swap(room, other.room);
    }
    void assign(size_t count, const T &value)
    {
        n = 0;
        resize(count, value);
    }
    template <class It,
              class = typename std::iterator_traits<It>::iterator_category>
    void assign(It first, It last)
    {
        const size_t count = (size_t)std::distance(first, last);
        n = 0;
        reserve(count);
        move_items(first, last, begin());
        n = count;
    }
    iterator erase(const_iterator at)
    {
        return erase(at, at + 1);
    }
    iterator erase(const_iterator first, const_iterator last)
    {
        const size_t from = (size_t)(first - cbegin());
        const vector rest(last, cend());
        move_items(rest.begin(), rest.end(), begin() + from);
        n = from + rest.size();
        return begin() + from;
    }
    iterator insert(const_iterator at, const T &value)
    {
        return insert(at, 1, value);
    }
    iterator insert(const_iterator at, size_t count, const T &value)
    {
        const vector all(count, value);
        const size_t from = (size_t)(at - cbegin());
        insert(at, all.begin(), all.end());
        return begin() + from;
    }
    template <class It,
              class = typename std::iterator_traits<It>::iterator_category>
    void insert(const_iterator at, It first, It last)
    {
        const size_t from = (size_t)(at - cbegin()),
                     count = (size_t)std::distance(first, last);
        const vector rest(at, cend());
        reserve(n + count);
        move_items(first, last, begin() + from);
        move_items(rest.begin(), rest.end(), begin() + from + count);
        n += count;
    }
};

/* A copy of the elements on the host. */
template <class T, class Space>
std::vector<T> on_host(const vector<T, Space> &v)
{
    std::vector<T> all(v.size());
    move_items(v.begin(), v.end(), all.begin());
    return all;
}
template <class T, class A, class U, class B>
bool operator==(const vector<T, A> &a, const vector<U, B> &b)
{
    const auto x = on_host(a);
    const auto y = on_host(b);
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin());
}
template <class T, class A, class U, class B>
bool operator!=(const vector<T, A> &a, const vector<U, B> &b)
{
    return !(a == b);
}
template <class T, class A>
bool operator==(const vector<T, A> &a, const std::vector<T> &b)
{
    return on_host(a) == b;
}
template <class T, class A>
bool operator==(const std::vector<T> &a, const vector<T, A> &b)
{
    return on_host(b) == a;
}
template <class T, class Space>
void swap(vector<T, Space> &a, vector<T, Space> &b)
{
    a.swap(b);
}
} // namespace detail

template <class T, class = void>
using host_vector = detail::vector<T, detail::host_space>;
template <class T, class = void>
using device_vector = detail::vector<T, detail::device_space>;
template <class T, class = void>
using universal_vector = detail::vector<T, detail::universal_space>;
} // namespace thrust
#endif
