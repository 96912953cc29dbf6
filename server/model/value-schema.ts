import { z } from 'zod';

/** A value as it goes over the wire. */
export const valueSchema = z
  .union([z.number(), z.string(), z.boolean(), z.null(), z.strictObject({ error: z.string() })])
  .meta({ id: 'Value' });
