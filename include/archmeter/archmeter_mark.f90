! SPDX-License-Identifier: MIT
! Marks of archmeter in Fortran: compile it with the program, and mark_fortran.c with a C compiler.
!
!     use archmeter_mark
!     call mark_begin('solve')
!     ...
!     call mark_end('solve')                                 or, with the work in between:
!     call mark_end('solve', flops, bytes_read, bytes_written)
!
! Blanks at the end of a name do not count. What regions mean: archmeter/mark.h.
module archmeter_mark
  use, intrinsic :: iso_c_binding, only: c_int, c_double, c_char, c_null_char
  implicit none
  private
  public :: mark_begin, mark_end

  interface
    function is_on() bind(C, name='archmeter_mark_is_on')
      import :: c_int
      integer(c_int) :: is_on
    end function is_on
    subroutine begin_region(name) bind(C, name='archmeter_mark_begin')
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine begin_region
    subroutine end_region(name, flops, bytes_read, bytes_written) bind(C, name='archmeter_mark_end')
      import :: c_char, c_double
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value, intent(in) :: flops, bytes_read, bytes_written
    end subroutine end_region
  end interface

contains

  subroutine mark_begin(name)
    character(len=*), intent(in) :: name

    if (is_on() /= 0) call begin_region(trim(name)//c_null_char)
  end subroutine mark_begin

  subroutine mark_end(name, flops, bytes_read, bytes_written)
    character(len=*), intent(in) :: name
    real(c_double), intent(in), optional :: flops, bytes_read, bytes_written
    real(c_double) :: work(3)

    if (is_on() == 0) return
    work = 0
    if (present(flops)) work(1) = flops
    if (present(bytes_read)) work(2) = bytes_read
    if (present(bytes_written)) work(3) = bytes_written
    call end_region(trim(name)//c_null_char, work(1), work(2), work(3))
  end subroutine mark_end
end module archmeter_mark
