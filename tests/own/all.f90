! SPDX-License-Identifier: MIT
! Every call that the module archmeter has, in one bench whose metric of its own is known beforehand: 100 per thread that
! took part, and 1 or 2 by the name of the axis `way`.
module all_bench
  use archmeter
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int64_t), target :: parts(0:63)
  character(kind=c_char), target :: words(3)
  real(c_double) :: by_name
contains
  integer(c_int) function prepare(point) bind(c, name="all_prepare")
    type(c_ptr), value :: point
    character(:), allocatable :: way

    prepare = 0
    way = archmeter_text(point, "way")
    by_name = merge(1d0, 2d0, way == "plain")
    words = ["f", "9", "0"]
    call archmeter_attach(point, "words.txt", "text/plain", c_loc(words(1)), 3_c_int64_t)
    call archmeter_note(point, "word", way)
    if (archmeter_number(point, "part") /= 0.5d0) prepare = archmeter_fail(point, "0.5 is not 0.5")
  end function

  subroutine mark_part(argument, thread, threads) bind(c, name="all_part")
    type(c_ptr), value :: argument
    integer(c_size_t), value :: thread, threads
    integer(c_int64_t), pointer :: marks(:)

    call c_f_pointer(argument, marks, [threads])
    marks(thread + 1) = marks(thread + 1) + 100
  end subroutine

  integer(c_int) function run_timed(point, iterations) bind(c, name="all_run_timed")
    type(c_ptr), value :: point
    integer(c_int64_t), value :: iterations
    type(archmeter_point), pointer :: p
    integer(c_int64_t) :: i, began, ended, rate

    p => archmeter_of(point)
    call system_clock(began, rate)
    do i = 1, iterations
      parts = 0
      call archmeter_parallel(point, mark_part, c_loc(parts(0)))
    end do
    call system_clock(ended)
    p%elapsed_ns = (ended - began) * (1000000000 / rate)
    call archmeter_value(point, "sum", real(sum(parts), c_double) + by_name)
    run_timed = 0
  end function

  integer(c_int) function check(point) bind(c, name="all_check")
    type(c_ptr), value :: point
    type(archmeter_point), pointer :: p

    p => archmeter_of(point)
    check = archmeter_check(point, "parts", real(sum(parts), c_double), 100d0 * real(p%threads, c_double), 0d0)
  end function
end module

subroutine archmeter_describe(host) bind(c)
  use all_bench
  type(c_ptr), value :: host
  type(archmeter_bench), pointer :: b

  b => archmeter_new("all", "every call of the module")
  call archmeter_axis(b, "threads", "1,2", quick="1", help="threads")
  call archmeter_axis(b, "way", "plain,other", kind="name", choices="plain,other", thorough="other")
  call archmeter_axis(b, "part", "0.5", kind="number")
  call archmeter_metric(b, "sum", "own", help="marks of all threads", unit="1", better="higher")
  b%prepare = c_funloc(prepare)
  b%run_timed = c_funloc(run_timed)
  b%verify = c_funloc(check)
  call archmeter_add(host, b)
end subroutine
