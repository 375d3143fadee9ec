import type { z } from 'zod';

/** What is wrong with an input, where. */
export interface Problem {
  path: string[];
  message: string;
}

interface Check<Schema extends z.ZodObject> {
  /** Looked at only where each of them is sound on its own. */
  fields: (keyof z.output<Schema> & string)[];
  problems(input: z.output<Schema>): Problem[];
}

/** An input whose fields must also fit together. Each check is made whatever is wrong with other fields, so that callers hear of everything at once. */
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
