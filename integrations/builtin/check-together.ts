import type { z } from 'zod';

/** A problem of an input, with its path. */
export interface Problem {
  path: string[];
  message: string;
}

interface Check<Schema extends z.ZodObject> {
  /** The check runs only if each of these fields is valid. */
  fields: (keyof z.output<Schema> & string)[];
  problems(input: z.output<Schema>): Problem[];
}

/**
 * Adds checks that involve several fields. Other invalid fields do not prevent a check, so callers
 * get all problems in one answer.
 */
export function checkTogether<Schema extends z.ZodObject>(schema: Schema, checks: Check<Schema>[]): Schema {
  return schema.superRefine(
    (input, context) => {
      const unsound = new Set(context.issues.map(({ path }) => path?.[0]));
      const fitting = checks.filter(({ fields }) => !fields.some((field) => unsound.has(field)));
      for (const problem of fitting.flatMap(({ problems }) => problems(input as z.output<Schema>)))
        context.addIssue({ code: 'custom', ...problem });
    },
    { when: ({ value }) => typeof value === 'object' && value !== null },
  );
}
