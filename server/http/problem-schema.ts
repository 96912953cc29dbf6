import { z } from 'zod';

/** Shape of a failure as the workbook service answers it. */
export const problemSchema = z
  .looseObject({
    type: z.string().meta({ description: 'Address of a page about this code' }),
    title: z.string(),
    status: z.int(),
    code: z.string().meta({ description: 'By it a client decides; /docs/errors.md lists all' }),
    detail: z.string(),
    hint: z.string().optional().meta({ description: 'The next call to make' }),
    errors: z
      .array(z.object({ pointer: z.string(), code: z.string(), message: z.string() }))
      .optional(),
    requestId: z.string(),
  })
  .meta({ id: 'Problem' });

export type Problem = z.output<typeof problemSchema>;
