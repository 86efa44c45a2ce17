/* SPDX-License-Identifier: MIT */
/* The stencil's blocks on the executors that need no library. */
#include "stencil_fixture.h"

int main(void)
{
    static const struct am_executor *const executors[] = {
        &am_executor_serial, &am_executor_task_default, &am_executor_task_bf, &am_executor_task_dbf,
        &am_executor_task_wf};

    for (size_t i = 0; i < sizeof(executors) / sizeof(executors[0]); i++)
        sx_check_all(executors[i]);
    return tap_done();
}
