import { z } from 'zod';

import {
  alignments,
  borderSides,
  borderStyles,
  fillPatterns,
  scripts,
  underlines,
  verticalAlignments,
  type BorderSide,
} from './cell-style.ts';
import { operationLimits as limits } from './operation-limits.ts';

// The kinds that say how cells look: formats of ranges, and styles with a name.

const color = z
  .union([
    z.string().regex(/^#[0-9A-Fa-f]{6}$/u, 'not a colour such as #1F4E79'),
    z.strictObject({
      theme: z.int().min(0).max(11).describe('lt1, dk1, lt2, dk2, accent1 to 6, link, visited'),
      tint: z.number().min(-1).max(1).optional().describe('Lighter above 0, darker below'),
    }),
  ])
  .meta({ id: 'Color', description: '#RRGGBB, or a colour of the theme' });

export const colorSchema = color;

const fill = z
  .union([
    color,
    z.strictObject({
      pattern: z.enum(fillPatterns).optional().describe('Default solid'),
      fg: color.optional().describe('Of the pattern; of a solid fill its colour'),
      bg: color.optional(),
    }),
  ])
  .meta({ id: 'Fill', description: 'A colour alone is a solid fill' });

const line = z
  .strictObject({ style: z.enum(borderStyles), color: color.optional() })
  .meta({ id: 'BorderLine' });
const sides = Object.fromEntries(
  borderSides.map((side) => [side, line.nullable().optional()]),
) as Record<BorderSide, z.ZodOptional<z.ZodNullable<typeof line>>>;

const properties = {
  numberFormat: z
    .string()
    .max(limits.numberFormatLength)
    .nullable()
    .optional()
    .describe('As Excel writes it'),
  bold: z.boolean().nullable().optional(),
  italic: z.boolean().nullable().optional(),
  underline: z
    .union([z.boolean(), z.enum(underlines)])
    .nullable()
    .optional(),
  strike: z.boolean().nullable().optional(),
  script: z.enum(scripts).nullable().optional(),
  font: z.string().min(1).max(limits.fontNameLength).nullable().optional(),
  size: z.number().min(1).max(409).nullable().optional().describe('Points'),
  color: color.nullable().optional().describe('Of the text'),
  fill: fill.nullable().optional(),
  align: z.enum(alignments).nullable().optional(),
  valign: z.enum(verticalAlignments).nullable().optional(),
  wrap: z.boolean().nullable().optional(),
  shrink: z.boolean().nullable().optional(),
  rotation: z
    .union([z.int().min(-90).max(90), z.literal('vertical')])
    .nullable()
    .optional()
    .describe('Degrees counter-clockwise'),
  indent: z.int().min(0).max(250).nullable().optional(),
  border: z.strictObject(sides).nullable().optional(),
  locked: z.boolean().nullable().optional().describe('Counts while the sheet is protected'),
  hidden: z.boolean().nullable().optional().describe('Of the formula, while protected'),
};

const styleId = z.string().min(1).max(limits.styleIdLength).describe('Name of the style');

export const styleSchema = z
  .strictObject(properties)
  .meta({ id: 'CellStyle', description: 'Null is the same as leaving a property out' });

export const stylePartialSchema = z
  .strictObject({ ...properties, named: styleId.nullable().optional() })
  .meta({
    id: 'CellStyleChanges',
    description: 'Only what is named is written; null clears a property',
  });

export const formatSet = z.strictObject({
  sheet: z.string().min(1).max(64).optional().describe('Id or name of a sheet'),
  range: z.string().min(1).max(2_048).describe('A1 range; may carry the sheet: Plan!B2:C4'),
  style: stylePartialSchema,
  replace: z.boolean().optional().describe('Clears every property that is not named'),
});

export const styleDefine = z.strictObject({ id: styleId, style: styleSchema });
export const styleDelete = z.strictObject({ id: styleId });
