! SPDX-License-Identifier: MIT
! A step of Jacobi's method in Fortran: `archmeter run examples/own/jacobi.f90`.
!
! archmeter-flags: -O3
module jacobi_bench
  use archmeter
  use, intrinsic :: iso_c_binding
  implicit none
  real(c_double), pointer :: a(:, :), b(:, :)
  integer(c_int64_t) :: n
contains
  integer(c_int) function prepare(point) bind(c, name="jacobi_prepare")
    type(c_ptr), value :: point
    type(archmeter_point), pointer :: p
    integer(c_int64_t) :: j

    prepare = 0
    n = archmeter_count(point, "n")
    if (n < 3) then
      prepare = archmeter_refuse(point, "a grid needs three points per side")
      return
    end if
    call c_f_pointer(archmeter_alloc(point, 8 * n * n), a, [n, n])
    call c_f_pointer(archmeter_alloc(point, 8 * n * n), b, [n, n])
    do j = 1, n
      a(:, j) = real(j, c_double)
    end do
    p => archmeter_of(point)
    p%flops = 4 * real((n - 2) ** 2, c_double)
    p%bytes_read = 8 * real(n * n, c_double)
    p%bytes_written = 8 * real((n - 2) ** 2, c_double)
  end function

  subroutine run(point, iterations) bind(c, name="jacobi_run")
    type(c_ptr), value :: point
    integer(c_int64_t), value :: iterations
    integer(c_int64_t) :: i, j, k

    do k = 1, iterations
      do j = 2, n - 1
        do i = 2, n - 1
          b(i, j) = 0.25_c_double * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
        end do
      end do
      call archmeter_keep(point, c_loc(b(1, 1)))
    end do
  end subroutine

  ! A plane is what Jacobi's step leaves as it is.
  integer(c_int) function check(point) bind(c, name="jacobi_check")
    type(c_ptr), value :: point

    check = archmeter_check(point, "largest change", maxval(abs(b(2:n-1, 2:n-1) - a(2:n-1, 2:n-1))), 0d0, 1d-12)
  end function
end module

subroutine archmeter_describe(host) bind(c)
  use jacobi_bench
  type(c_ptr), value :: host
  type(archmeter_bench), pointer :: bench

  bench => archmeter_new("jacobi", "one step of Jacobi's method on a square grid")
  call archmeter_axis(bench, "n", "64,1000", help="points per side")
  call archmeter_metric(bench, "rate", "flops")
  call archmeter_metric(bench, "bandwidth", "bytes")
  bench%prepare = c_funloc(prepare)
  bench%run = c_funloc(run)
  bench%verify = c_funloc(check)
  call archmeter_add(host, bench)
end subroutine
