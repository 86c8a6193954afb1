// Sinew for C++17: owners that clean up, errors that throw, views and events that a range-based for goes over. Thin and optional: it adds no
// object file, hides nothing, and a sinew::world goes wherever a C call takes an sn_world *.
//
//     sinew::world world;                                        // throws sinew::error if there is none
//     sn_particle p = world.need(sn_particle_add_at(world, {0, 2, 0}, 1));   // a null handle throws, with the reason
//     world.check(sn_particle_set_radius(world, p, 0.1f));       // so does a result other than SN_OK
//     world.step(1.0f / 60);
//     for (sn_vec3 x : world.positions()) draw(x);
//
// Without exceptions (-fno-exceptions) nothing throws: the constructor leaves an empty world (`if (!world)`), check and step are not there, and need
// gives back what it got. Use try_step and the results of the C calls then.
#ifndef SINEW_HPP
#define SINEW_HPP

#include <sinew/sinew.h>

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
#define SINEW_EXCEPTIONS 1
#else
#define SINEW_EXCEPTIONS 0
#endif

namespace sinew
{

// ---- Errors ------------------------------------------------------------------------------------------------------------

// A call that failed: what() says why, as sn_world_error does.
class error : public std::runtime_error
{
  public:
    error(sn_result result, const std::string &text) : std::runtime_error(text), result_(result)
    {
    }
    sn_result result() const noexcept
    {
        return result_;
    }

  private:
    sn_result result_;
};

// ---- Views -------------------------------------------------------------------------------------------------------------

// Some items that lie one after the other; std::span of C++20 takes it as it is.
template <class T> class span
{
  public:
    span() noexcept = default;
    span(const T *data, std::size_t size) noexcept : data_(data), size_(size)
    {
    }
    const T *data() const noexcept
    {
        return data_;
    }
    std::size_t size() const noexcept
    {
        return size_;
    }
    bool empty() const noexcept
    {
        return size_ == 0;
    }
    const T *begin() const noexcept
    {
        return data_;
    }
    const T *end() const noexcept
    {
        return data_ + size_;
    }
    const T &operator[](std::size_t i) const noexcept
    {
        return data_[i];
    }

  private:
    const T *data_ = nullptr;
    std::size_t size_ = 0;
};

namespace detail
{
template <class T> T read(const sn_real *at) noexcept;
template <> inline sn_real read<sn_real>(const sn_real *at) noexcept
{
    return *at;
}
template <> inline sn_vec3 read<sn_vec3>(const sn_real *at) noexcept
{
    return {at[0], at[1], at[2]};
}
} // namespace detail

// The engine's own memory, read without a copy, in storage order; dies when an sn_view does. T is sn_vec3 or sn_real.
template <class T> class view
{
  public:
    class iterator
    {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = const T *;
        using reference = T;
        iterator(const sn_view *view, uint32_t slot) noexcept : view_(view), slot_(slot)
        {
        }
        T operator*() const noexcept
        {
            return detail::read<T>(sn_view_at(view_, slot_));
        }
        iterator &operator++() noexcept
        {
            ++slot_;
            return *this;
        }
        iterator operator++(int) noexcept
        {
            iterator before = *this;
            ++slot_;
            return before;
        }
        bool operator==(const iterator &other) const noexcept
        {
            return slot_ == other.slot_;
        }
        bool operator!=(const iterator &other) const noexcept
        {
            return slot_ != other.slot_;
        }

      private:
        const sn_view *view_;
        uint32_t slot_;
    };

    explicit view(const sn_view &c) noexcept : c_(c)
    {
    }
    const sn_view &c() const noexcept
    {
        return c_;
    } // data and stride, to hand on
    uint32_t size() const noexcept
    {
        return c_.count;
    }
    bool empty() const noexcept
    {
        return c_.count == 0;
    }
    iterator begin() const noexcept
    {
        return iterator(&c_, 0);
    }
    iterator end() const noexcept
    {
        return iterator(&c_, c_.count);
    }
    // The particle that lies in a slot, below size().
    uint32_t number(uint32_t slot) const noexcept
    {
        return c_.index[slot];
    }
    // What a particle has; nothing if it is not alive.
    std::optional<T> find(sn_particle particle) const noexcept
    {
        const sn_real *at = sn_view_find(&c_, particle.index);
        return at ? std::optional<T>(detail::read<T>(at)) : std::nullopt;
    }

  private:
    sn_view c_;
};

// ---- Owners ------------------------------------------------------------------------------------------------------------

namespace detail
{
struct destroy {
    void operator()(sn_world *world) const noexcept
    {
        sn_world_destroy(world);
    }
    void operator()(sn_snapshot *snapshot) const noexcept
    {
        sn_snapshot_destroy(snapshot);
    }
    void operator()(sn_rewind *rewind) const noexcept
    {
        sn_rewind_destroy(rewind);
    }
    void operator()(sn_accumulator *accumulator) const noexcept
    {
        sn_accumulator_destroy(accumulator);
    }
};
} // namespace detail

// Each is a unique_ptr: get() is what the C calls take.
using snapshot = std::unique_ptr<sn_snapshot, detail::destroy>;
using rewind = std::unique_ptr<sn_rewind, detail::destroy>;
using accumulator = std::unique_ptr<sn_accumulator, detail::destroy>;

// All constraints, in the order in which they were added: for (sn_constraint c : sinew::constraints(world)). Dies with a walk.
class constraints
{
  public:
    class iterator
    {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = sn_constraint;
        using difference_type = std::ptrdiff_t;
        using pointer = const sn_constraint *;
        using reference = sn_constraint;
        iterator(const sn_world *world, bool more) noexcept
            : world_(world), more_(more && sn_constraint_next(world, &walk_))
        {
        }
        sn_constraint operator*() const noexcept
        {
            return walk_.constraint;
        }
        iterator &operator++() noexcept
        {
            more_ = sn_constraint_next(world_, &walk_);
            return *this;
        }
        bool operator==(const iterator &other) const noexcept
        {
            return more_ == other.more_;
        } // of use with end() only
        bool operator!=(const iterator &other) const noexcept
        {
            return more_ != other.more_;
        }

      private:
        const sn_world *world_;
        sn_constraint_walk walk_ = {};
        bool more_;
    };

    explicit constraints(const sn_world *world) noexcept : world_(world)
    {
    }
    iterator begin() const noexcept
    {
        return iterator(world_, true);
    }
    iterator end() const noexcept
    {
        return iterator(world_, false);
    }

  private:
    const sn_world *world_;
};

// A world. It can be moved and not copied; a moved one is empty.
class world
{
  public:
    explicit world(const sn_world_def &def = sn_default_world_def())
    {
        sn_world *made = nullptr;
        const sn_result result = sn_world_create(&def, &made);
        world_.reset(made);
#if SINEW_EXCEPTIONS
        if (result != SN_OK) {
            char text[256] = "";
            sn_world_def_check(&def, text, sizeof text);
            throw error(result, *text ? text : sn_result_text(result));
        }
#else
        (void)result;
#endif
    }

    sn_world *get() const noexcept
    {
        return world_.get();
    }
    operator sn_world *() const noexcept
    {
        return world_.get();
    }
    explicit operator bool() const noexcept
    {
        return static_cast<bool>(world_);
    }

    // Why the last call failed, in words; "" if it did not.
    const char *error_text() const noexcept
    {
        return sn_world_error(get());
    }

#if SINEW_EXCEPTIONS
    void check(sn_result result) const
    {
        if (result != SN_OK)
            throw error(result, error_text());
    }
    void step(sn_real dt)
    {
        check(sn_world_step(get(), dt));
    }
#endif
    sn_result try_step(sn_real dt) noexcept
    {
        return sn_world_step(get(), dt);
    }

    // A handle, a run of them or a pointer, as it was given; a null one throws.
    template <class T> T need(T given) const
    {
#if SINEW_EXCEPTIONS
        if (is_null(given))
            throw error(SN_ERROR_ARGUMENT, error_text());
#endif
        return given;
    }

    view<sn_vec3> positions() const noexcept
    {
        return view<sn_vec3>(sn_world_view_positions(get()));
    }
    view<sn_vec3> velocities() const noexcept
    {
        return view<sn_vec3>(sn_world_view_velocities(get()));
    }
    view<sn_real> inverse_masses() const noexcept
    {
        return view<sn_real>(sn_world_view_inverse_masses(get()));
    }

    // The events of the last step; they die with the next one.
    span<sn_contact_event> contact_events() const noexcept
    {
        uint32_t count = 0;
        const sn_contact_event *first = sn_world_contact_events(get(), &count);
        return {first, count};
    }

    // The first thing that a ray hits; nothing also for bad arguments, as error_text() then tells.
    std::optional<sn_hit> ray(sn_vec3 origin, sn_vec3 direction, sn_real length,
                              const sn_query_filter &filter = sn_default_query_filter()) const noexcept
    {
        sn_hit hit;
        return sn_query_ray(get(), origin, direction, length, filter, &hit) ? std::optional<sn_hit>(hit) : std::nullopt;
    }

    snapshot save() const
    {
        return snapshot(need(sn_world_save(get())));
    }
#if SINEW_EXCEPTIONS
    void load(const snapshot &state)
    {
        check(sn_world_load(get(), state.get()));
    }
#endif

  private:
    template <class T> static bool is_null(T *given) noexcept
    {
        return !given;
    }
    static bool is_null(const sn_particles &run) noexcept
    {
        return run.count == 0;
    }
    static bool is_null(const sn_constraints &run) noexcept
    {
        return run.count == 0;
    }
    template <class T> static auto is_null(const T &handle) noexcept -> decltype(handle.generation == 0)
    {
        return handle.generation == 0;
    }

    std::unique_ptr<sn_world, detail::destroy> world_;
};

} // namespace sinew

#endif
