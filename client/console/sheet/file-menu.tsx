import { Menu } from '../shell/menu.tsx';
import { exportFile, type ExportFormat } from './export-file.ts';
import type { SheetSession } from './sheet-session.ts';

/** Files that can be made of what is shown, by readers as well. */
export const exports: readonly (readonly [label: string, format: ExportFormat])[] = [
  ['Export as .xlsx (Excel)', 'xlsx'],
  ['Export this sheet as .csv', 'csv'],
];

export function FileMenu({ session }: { session: SheetSession }) {
  return (
    <Menu place="left" title="File">
      {(close) =>
        exports.map(([label, format]) => (
          <button
            key={format}
            type="button"
            class="line"
            onClick={() => {
              close();
              void exportFile(session, format);
            }}
          >
            {label}
          </button>
        ))
      }
    </Menu>
  );
}
