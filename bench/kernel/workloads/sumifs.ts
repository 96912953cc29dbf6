import { fillRows, sample, type Cell, type Workload } from '../workload.ts';

const keyCount = 1_000;
const regions = ['north', 'east', 'south', 'west'];

/**
 * A report over a list of bookings: for each of 1,000 keys a SUMIFS by key and region, and a
 * COUNTIFS by key. There are always 2,000 formulas; the size is that of the list.
 */
export const sumifs: Workload = {
  name: 'sumifs',
  shape:
    'SUMIFS and COUNTIFS for 1,000 keys over as many rows as the size says; full: one key of the list; small: one criterion (2 dirty)',
  formulaCountMost: 10_000,
  make(bookingCount) {
    const column = (letter: string): string => `$${letter}$1:$${letter}$${bookingCount}`;
    const rows = fillRows(Math.max(bookingCount, keyCount), (index): Cell[] => {
      const booking: Cell[] =
        index < bookingCount
          ? [`key ${(index * 7) % keyCount}`, regions[index % 3] ?? 'north', sample(index)]
          : [null, null, null];
      if (index >= keyCount) return booking;
      const row = index + 1;
      return [
        ...booking,
        `key ${index}`,
        `=SUMIFS(${column('C')},${column('A')},D${row},${column('B')},"${regions[index % 4] ?? 'north'}")`,
        `=COUNTIFS(${column('A')},D${row})`,
      ];
    });
    return {
      sheets: [{ name: 'Sheet1', rows }],
      fullEdit: (step) => ({
        sheet: 0,
        row: bookingCount >> 1,
        column: 0,
        rows: [[`key ${step}`]],
      }),
      smallEdit: (step) => ({
        sheet: 0,
        row: (step * 37) % keyCount,
        column: 3,
        rows: [[`key ${(step * 101) % keyCount}`]],
      }),
    };
  },
};
