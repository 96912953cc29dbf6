import '@glideapps/glide-data-grid/dist/index.css';
import { DataEditor, GridCellKind } from '@glideapps/glide-data-grid';
import { createElement, useRef } from 'react';
import { createRoot } from 'react-dom/client';

import { BlockStore } from '../../client/console/store/block-store.ts';
import { Service } from '../../client/console/service.ts';

/**
 * The same sheet in glide-data-grid, with the console's own loading of cells. JavaScript, because types
 * of peers are there only where the benches are installed.
 */

const { workbookId, rowCount, columnCount } = window.benchSheet;
const credential = {
  key: sessionStorage.getItem('quire.key') ?? undefined,
  renew: async () => false,
};
let redraw = () => undefined;
const store = new BlockStore(
  new Service(location.origin, credential),
  { workbookId, sheet: 'Sheet1', ref: window.benchSheet.ref },
  () => redraw(),
);
const columns = Array.from({ length: columnCount }, (_, index) => ({
  title: String(index + 1),
  id: String(index),
  width: 100,
}));

function contentOf([column, row]) {
  const cell = store.cellAt(row, column);
  if (cell === undefined) return { kind: GridCellKind.Loading, allowOverlay: false };
  return {
    kind: GridCellKind.Text,
    allowOverlay: true,
    data: cell.text,
    displayData: cell.text,
    contentAlign: cell.kind === 'number' ? 'right' : 'left',
  };
}

function Page() {
  const grid = useRef(null);
  const view = useRef({ x: 0, y: 0, width: 1, height: 1 });
  const look = (region) => {
    view.current = region;
    const { x, y, width, height } = region;
    store.look([
      { row0: y, row1: Math.min(y + height, rowCount) - 1, column0: x, column1: x + width - 1 },
    ]);
  };
  redraw = () => {
    const { x, y, width, height } = view.current;
    const cells = [];
    for (let row = y; row < y + height; row++) {
      for (let column = x; column < x + width; column++) cells.push({ cell: [column, row] });
    }
    grid.current?.updateCells(cells);
  };
  window.benchJump = (row) => grid.current?.scrollTo(0, row, 'vertical');
  return createElement(DataEditor, {
    ref: grid,
    columns,
    rows: rowCount,
    getCellContent: contentOf,
    onVisibleRegionChanged: look,
    width: window.innerWidth,
    height: window.innerHeight,
    rowHeight: 24,
    headerHeight: 26,
    rowMarkers: 'number',
    smoothScrollX: true,
    smoothScrollY: true,
  });
}

createRoot(document.querySelector('main')).render(createElement(Page));
