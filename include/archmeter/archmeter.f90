! SPDX-License-Identifier: MIT
! Benches of your own in Fortran: what archmeter/bench.h is for C. archmeter compiles this module itself and puts it
! beside your file. Your file has a subroutine archmeter_describe(host) with bind(c), which makes benches and adds them:
!
!     b => archmeter_new("dot", "dot product of two vectors")
!     call archmeter_axis(b, "n", "1K,1M")
!     call archmeter_metric(b, "rate", "flops")
!     b%prepare = c_funloc(prepare); b%run = c_funloc(run); b%verify = c_funloc(check)
!     call archmeter_add(host, b)
!
! The functions are bind(c), take `type(c_ptr), value :: point`, and return integer(c_int) (0: done) but for run, a
! subroutine with integer(c_int64_t), value :: iterations. (verify itself is a word of Fortran.) run_timed takes both and
! returns integer(c_int); it leaves its time in elapsed_ns of archmeter_of(point) and states metrics of the rule "own" by
! archmeter_value(). The order of all components is that of archmeter/bench.h.
module archmeter
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: archmeter_bench, archmeter_point, archmeter_new, archmeter_axis, archmeter_metric, archmeter_add
  public :: archmeter_of, archmeter_count, archmeter_number, archmeter_alloc, archmeter_refuse, archmeter_fail
  public :: archmeter_check, archmeter_note, archmeter_keep, archmeter_text, archmeter_value, archmeter_attach
  public :: archmeter_parallel, archmeter_part

  integer(c_int32_t), parameter :: interface_version = 1
  integer, parameter :: rows_max = 32, text_max = 1024

  type, bind(c) :: axis_row
    type(c_ptr) :: name, values, help, kind, choices, unit, quick, thorough, tune
  end type

  type, bind(c) :: metric_row
    type(c_ptr) :: name, rule, help, unit, better
  end type

  type, bind(c) :: archmeter_bench
    integer(c_int32_t) :: size, interface_version, axis_size, metric_size
    type(c_ptr) :: name, summary, axes, metrics
    type(c_funptr) :: prepare, run, verify, finish, run_timed
    integer(c_int32_t) :: version, all_cpus
    integer(c_size_t) :: state_size
    integer(c_int64_t) :: fixed_iters
  end type

  type, bind(c) :: archmeter_point
    integer(c_int32_t) :: size, interface_version
    type(c_ptr) :: state
    real(c_double) :: flops, bytes_read, bytes_written, ops
    real(c_double) :: flops_per_cycle_max, bytes_per_cycle_max
    real(c_double) :: residual
    integer(c_int64_t) :: elapsed_ns
    type(c_ptr) :: cpus
    integer(c_size_t) :: cpu_count, threads
    integer(c_int64_t) :: seed, memory_limit
    type(c_ptr) :: isa, calls
  end type

  type, bind(c) :: call_table
    integer(c_int32_t) :: size, interface_version
    type(c_funptr) :: count, number, text, alloc, refuse, fail, check, parallel, value, note, attach, keep
  end type

  type, bind(c) :: host_table
    integer(c_int32_t) :: size, interface_version
    type(c_funptr) :: add
  end type

  abstract interface
    integer(c_int64_t) function count_fn(point, axis) bind(c)
      import
      type(c_ptr), value :: point, axis
    end function
    real(c_double) function number_fn(point, axis) bind(c)
      import
      type(c_ptr), value :: point, axis
    end function
    type(c_ptr) function alloc_fn(point, bytes) bind(c)
      import
      type(c_ptr), value :: point
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function say_fn(point, reason) bind(c)
      import
      type(c_ptr), value :: point, reason
    end function
    integer(c_int) function check_fn(point, what, got, want, tolerance) bind(c)
      import
      type(c_ptr), value :: point, what
      real(c_double), value :: got, want, tolerance
    end function
    subroutine note_fn(point, key, text) bind(c)
      import
      type(c_ptr), value :: point, key, text
    end subroutine
    type(c_ptr) function text_fn(point, axis) bind(c)
      import
      type(c_ptr), value :: point, axis
    end function
    subroutine value_fn(point, metric, value) bind(c)
      import
      type(c_ptr), value :: point, metric
      real(c_double), value :: value
    end subroutine
    subroutine attach_fn(point, name, media, data, bytes) bind(c)
      import
      type(c_ptr), value :: point, name, media, data
      integer(c_size_t), value :: bytes
    end subroutine
    ! What archmeter_parallel() calls on every thread; threads count from 0.
    subroutine archmeter_part(argument, thread, threads) bind(c)
      import
      type(c_ptr), value :: argument
      integer(c_size_t), value :: thread, threads
    end subroutine
    subroutine parallel_fn(point, part, argument) bind(c)
      import
      type(c_ptr), value :: point, argument
      type(c_funptr), value :: part
    end subroutine
    subroutine keep_fn(memory) bind(c)
      import
      type(c_ptr), value :: memory
    end subroutine
    subroutine add_fn(host, bench) bind(c)
      import
      type(c_ptr), value :: host, bench
    end subroutine
  end interface

contains

  ! The text as C has it; it lives as long as the process.
  function text_of(s) result(p)
    character(*), intent(in), optional :: s
    type(c_ptr) :: p
    character(kind=c_char), pointer :: copy(:)
    integer :: i

    p = c_null_ptr
    if (.not. present(s)) return
    allocate(copy(len(s) + 1))
    do i = 1, len(s)
      copy(i) = s(i:i)
    end do
    copy(len(s) + 1) = c_null_char
    p = c_loc(copy(1))
  end function

  function archmeter_new(name, summary) result(b)
    character(*), intent(in) :: name, summary
    type(archmeter_bench), pointer :: b
    type(axis_row), pointer :: axes(:)
    type(metric_row), pointer :: metrics(:)
    integer :: i

    allocate(b, axes(rows_max), metrics(rows_max))
    do i = 1, rows_max
      axes(i)%name = c_null_ptr
      metrics(i)%name = c_null_ptr
    end do
    b%size = int(c_sizeof(b), c_int32_t)
    b%interface_version = interface_version
    b%axis_size = int(c_sizeof(axes(1)), c_int32_t)
    b%metric_size = int(c_sizeof(metrics(1)), c_int32_t)
    b%name = text_of(name)
    b%summary = text_of(summary)
    b%axes = c_loc(axes(1))
    b%metrics = c_loc(metrics(1))
    b%prepare = c_null_funptr
    b%run = c_null_funptr
    b%verify = c_null_funptr
    b%finish = c_null_funptr
    b%run_timed = c_null_funptr
    b%version = 1
    b%all_cpus = 0
    b%state_size = 0
    b%fixed_iters = 0
  end function

  subroutine archmeter_axis(b, name, values, help, kind, choices, unit, tune, quick, thorough)
    type(archmeter_bench), intent(in) :: b
    character(*), intent(in) :: name
    character(*), intent(in), optional :: values, help, kind, choices, unit, tune, quick, thorough
    type(axis_row), pointer :: axes(:)
    integer :: i

    call c_f_pointer(b%axes, axes, [rows_max])
    do i = 1, rows_max - 1
      if (c_associated(axes(i)%name)) cycle
      axes(i) = axis_row(text_of(name), text_of(values), text_of(help), text_of(kind), text_of(choices), &
                         text_of(unit), text_of(quick), text_of(thorough), text_of(tune))
      return
    end do
  end subroutine

  ! The rules are those of archmeter/bench.h; "own" needs unit and better.
  subroutine archmeter_metric(b, name, rule, help, unit, better)
    type(archmeter_bench), intent(in) :: b
    character(*), intent(in) :: name, rule
    character(*), intent(in), optional :: help, unit, better
    type(metric_row), pointer :: metrics(:)
    integer :: i

    call c_f_pointer(b%metrics, metrics, [rows_max])
    do i = 1, rows_max - 1
      if (c_associated(metrics(i)%name)) cycle
      metrics(i) = metric_row(text_of(name), text_of(rule), text_of(help), text_of(unit), text_of(better))
      return
    end do
  end subroutine

  subroutine archmeter_add(host, b)
    type(c_ptr), value :: host
    type(archmeter_bench), target, intent(in) :: b
    type(host_table), pointer :: table
    procedure(add_fn), pointer :: add

    call c_f_pointer(host, table)
    call c_f_procpointer(table%add, add)
    call add(host, c_loc(b))
  end subroutine

  ! ---- for the functions of a bench ----

  ! The point itself, for its components: flops, bytes_read, threads and so on.
  function archmeter_of(point) result(p)
    type(c_ptr), value :: point
    type(archmeter_point), pointer :: p

    call c_f_pointer(point, p)
  end function

  function calls_of(point) result(calls)
    type(c_ptr), value :: point
    type(archmeter_point), pointer :: p
    type(call_table), pointer :: calls

    call c_f_pointer(point, p)
    call c_f_pointer(p%calls, calls)
  end function

  ! A text that C reads before this call returns.
  subroutine to_c(s, buffer)
    character(*), intent(in) :: s
    character(kind=c_char), intent(out) :: buffer(text_max)
    integer :: i, n

    n = min(len(s), text_max - 1)
    do i = 1, n
      buffer(i) = s(i:i)
    end do
    buffer(n + 1) = c_null_char
  end subroutine

  integer(c_int64_t) function archmeter_count(point, axis)
    type(c_ptr), value :: point
    character(*), intent(in) :: axis
    character(kind=c_char), target :: buffer(text_max)
    type(call_table), pointer :: calls
    procedure(count_fn), pointer :: fn

    call to_c(axis, buffer)
    calls => calls_of(point)
    call c_f_procpointer(calls%count, fn)
    archmeter_count = fn(point, c_loc(buffer(1)))
  end function

  real(c_double) function archmeter_number(point, axis)
    type(c_ptr), value :: point
    character(*), intent(in) :: axis
    character(kind=c_char), target :: buffer(text_max)
    type(call_table), pointer :: calls
    procedure(number_fn), pointer :: fn

    call to_c(axis, buffer)
    calls => calls_of(point)
    call c_f_procpointer(calls%number, fn)
    archmeter_number = fn(point, c_loc(buffer(1)))
  end function

  ! The value as text: of an axis of names, the name.
  function archmeter_text(point, axis) result(text)
    type(c_ptr), value :: point
    character(*), intent(in) :: axis
    character(:), allocatable :: text
    character(kind=c_char), target :: buffer(text_max)
    character(kind=c_char), pointer :: said(:)
    type(call_table), pointer :: calls
    procedure(text_fn), pointer :: fn
    integer :: i, n

    call to_c(axis, buffer)
    calls => calls_of(point)
    call c_f_procpointer(calls%text, fn)
    call c_f_pointer(fn(point, c_loc(buffer(1))), said, [text_max])
    n = 0
    do while (n < text_max)
      if (said(n + 1) == c_null_char) exit
      n = n + 1
    end do
    allocate(character(n) :: text)
    do i = 1, n
      text(i:i) = said(i)
    end do
  end function

  ! For c_f_pointer: call c_f_pointer(archmeter_alloc(point, 8 * n), x, [n])
  type(c_ptr) function archmeter_alloc(point, bytes)
    type(c_ptr), value :: point
    integer(c_int64_t), value :: bytes
    type(call_table), pointer :: calls
    procedure(alloc_fn), pointer :: fn

    calls => calls_of(point)
    call c_f_procpointer(calls%alloc, fn)
    archmeter_alloc = fn(point, int(bytes, c_size_t))
  end function

  integer(c_int) function archmeter_refuse(point, reason)
    type(c_ptr), value :: point
    character(*), intent(in) :: reason
    character(kind=c_char), target :: buffer(text_max)
    type(call_table), pointer :: calls
    procedure(say_fn), pointer :: fn

    call to_c(reason, buffer)
    calls => calls_of(point)
    call c_f_procpointer(calls%refuse, fn)
    archmeter_refuse = fn(point, c_loc(buffer(1)))
  end function

  integer(c_int) function archmeter_fail(point, reason)
    type(c_ptr), value :: point
    character(*), intent(in) :: reason
    character(kind=c_char), target :: buffer(text_max)
    type(call_table), pointer :: calls
    procedure(say_fn), pointer :: fn

    call to_c(reason, buffer)
    calls => calls_of(point)
    call c_f_procpointer(calls%fail, fn)
    archmeter_fail = fn(point, c_loc(buffer(1)))
  end function

  integer(c_int) function archmeter_check(point, what, got, want, tolerance)
    type(c_ptr), value :: point
    character(*), intent(in) :: what
    real(c_double), intent(in) :: got, want, tolerance
    character(kind=c_char), target :: buffer(text_max)
    type(call_table), pointer :: calls
    procedure(check_fn), pointer :: fn

    call to_c(what, buffer)
    calls => calls_of(point)
    call c_f_procpointer(calls%check, fn)
    archmeter_check = fn(point, c_loc(buffer(1)), got, want, tolerance)
  end function

  subroutine archmeter_note(point, key, text)
    type(c_ptr), value :: point
    character(*), intent(in) :: key, text
    character(kind=c_char), target :: buffer(text_max), other(text_max)
    type(call_table), pointer :: calls
    procedure(note_fn), pointer :: fn

    call to_c(key, buffer)
    call to_c(text, other)
    calls => calls_of(point)
    call c_f_procpointer(calls%note, fn)
    call fn(point, c_loc(buffer(1)), c_loc(other(1)))
  end subroutine

  ! For run_timed: the value of a metric whose rule is "own".
  subroutine archmeter_value(point, metric, value)
    type(c_ptr), value :: point
    character(*), intent(in) :: metric
    real(c_double), intent(in) :: value
    character(kind=c_char), target :: buffer(text_max)
    type(call_table), pointer :: calls
    procedure(value_fn), pointer :: fn

    call to_c(metric, buffer)
    calls => calls_of(point)
    call c_f_procpointer(calls%value, fn)
    call fn(point, c_loc(buffer(1)), value)
  end subroutine

  ! A file that belongs to the result: `bytes` of what `memory` points to; `media` is a media type.
  subroutine archmeter_attach(point, name, media, memory, bytes)
    type(c_ptr), value :: point, memory
    character(*), intent(in) :: name, media
    integer(c_int64_t), value :: bytes
    character(kind=c_char), target :: buffer(text_max), other(text_max)
    type(call_table), pointer :: calls
    procedure(attach_fn), pointer :: fn

    call to_c(name, buffer)
    call to_c(media, other)
    calls => calls_of(point)
    call c_f_procpointer(calls%attach, fn)
    call fn(point, c_loc(buffer(1)), c_loc(other(1)), memory, int(bytes, c_size_t))
  end subroutine

  ! Calls part(argument, thread, threads) on all threads of the point and returns when all have; see archmeter/bench.h.
  subroutine archmeter_parallel(point, part, argument)
    type(c_ptr), value :: point
    procedure(archmeter_part) :: part
    type(c_ptr), intent(in), optional :: argument
    type(call_table), pointer :: calls
    procedure(parallel_fn), pointer :: fn
    type(c_ptr) :: given

    given = c_null_ptr
    if (present(argument)) given = argument
    calls => calls_of(point)
    call c_f_procpointer(calls%parallel, fn)
    call fn(point, c_funloc(part), given)
  end subroutine

  ! What is at `memory` must be there: a call into archmeter, of about 2 ns.
  subroutine archmeter_keep(point, memory)
    type(c_ptr), value :: point, memory
    type(call_table), pointer :: calls
    procedure(keep_fn), pointer :: fn

    calls => calls_of(point)
    call c_f_procpointer(calls%keep, fn)
    call fn(memory)
  end subroutine
end module
