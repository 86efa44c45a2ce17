! SPDX-License-Identifier: MIT
! The constructs of omp.workshare, which only Fortran has; workshare.h declares them for C.

subroutine am_workshare_inside(n, reps, a) bind(c, name='am_workshare_inside')
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  implicit none
  integer(c_int64_t), value, intent(in) :: n, reps
  real(c_double), intent(inout) :: a(n)
  integer(c_int64_t) :: i

  !$omp parallel private(i)
  do i = 1, reps
    !$omp workshare
    a = a + cos(a) - sin(a)
    !$omp end workshare
  end do
  !$omp end parallel
end subroutine am_workshare_inside

subroutine am_workshare_parallel(n, reps, a) bind(c, name='am_workshare_parallel')
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  implicit none
  integer(c_int64_t), value, intent(in) :: n, reps
  real(c_double), intent(inout) :: a(n)
  integer(c_int64_t) :: i

  do i = 1, reps
    !$omp parallel workshare
    a = a + cos(a) - sin(a)
    !$omp end parallel workshare
  end do
end subroutine am_workshare_parallel

subroutine am_workshare_serial(n, reps, a) bind(c, name='am_workshare_serial')
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  implicit none
  integer(c_int64_t), value, intent(in) :: n, reps
  real(c_double), intent(inout) :: a(n)
  integer(c_int64_t) :: i

  do i = 1, reps
    a = a + cos(a) - sin(a)
  end do
end subroutine am_workshare_serial
