import { ApplicationFailure } from '@temporalio/common';
import type { z } from 'zod';

/**
 * Validates the input of an activity and returns it. Anyone with access to Temporal can start an
 * activity with any input, so an input of the wrong shape fails permanently (type `InputInvalid`)
 * instead of being retried.
 */
export function readActivityInput<Shape extends z.ZodType>(shape: Shape, input: unknown): z.output<Shape> {
  const read = shape.safeParse(input);
  if (read.success) return read.data;
  const fields = read.error.issues.slice(0, 10).map(({ path }) => path.join('.') || 'input');
  throw ApplicationFailure.nonRetryable(`The input of this activity is invalid: ${[...new Set(fields)].join(', ')}.`, 'InputInvalid');
}
