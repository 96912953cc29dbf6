import type { Workload } from '../workload.ts';
import { fillDown } from './fill-down.ts';
import { financialModel } from './financial-model.ts';
import { gridStencil } from './grid-stencil.ts';
import { lookup } from './lookup.ts';
import { prefixSums } from './prefix-sums.ts';
import { runningTotal } from './running-total.ts';
import { slidingWindow } from './sliding-window.ts';
import { sumifs } from './sumifs.ts';

/** The shapes that spreadsheets are made of. */
export const workloads: readonly Workload[] = [
  fillDown,
  runningTotal,
  prefixSums,
  slidingWindow,
  lookup,
  sumifs,
  financialModel,
  gridStencil,
];
