! SPDX-License-Identifier: MIT
! Marked regions in Fortran: pi by a sum, with the operations stated.
!
!     cc -O2 -c include/archmeter/mark_fortran.c
!     gfortran -O2 -o pi include/archmeter/archmeter_mark.f90 examples/marks/pi.f90 mark_fortran.o
!     archmeter profile -- ./pi
program pi
  use, intrinsic :: iso_c_binding, only: c_double
  use archmeter_mark
  implicit none
  integer, parameter :: terms = 1000000, passes = 20
  real(c_double) :: total, x
  integer :: i, pass

  total = 0
  do pass = 1, passes
    call mark_begin('terms')
    total = 0
    do i = 1, terms
      x = (i - 0.5_c_double)/terms
      total = total + 4/(1 + x*x)
    end do
    call mark_end('terms', 6.0_c_double*terms, 0.0_c_double, 0.0_c_double)
  end do
  print '(f18.15)', total/terms
end program pi
