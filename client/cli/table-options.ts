/** Options that select, order and group the rows of a table. */
export const questionOptions = {
  where: { value: 'formula', says: 'Rows that it fits, such as [@Price]>10' },
  columns: { value: 'names', multiple: true, says: 'Columns, with commas between' },
  order: { value: 'names', multiple: true, says: 'Sorted by columns, from high to low with a -' },
  keys: { value: 'value', multiple: true, says: 'The row with this key' },
  group: { value: 'names', multiple: true, says: 'Groups of rows by their values' },
  count: { says: 'Of each group: how many rows it has' },
  sum: { value: 'names', multiple: true, says: 'Of each group: its columns added up' },
  average: { value: 'names', multiple: true, says: 'Of each group: averages' },
  min: { value: 'names', multiple: true, says: 'Of each group: the least numbers' },
  max: { value: 'names', multiple: true, says: 'Of each group: the greatest numbers' },
  distinct: { value: 'names', multiple: true, says: 'Of each group: how many different values' },
  lens: { value: 'lens', says: 'value, formula, input or formatted' },
  number: { value: 'n', short: 'n', says: 'So many rows or groups' },
} as const;
