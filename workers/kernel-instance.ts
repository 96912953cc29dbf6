import { formatInto, type TextPlaces } from './format-import.ts';
import type { KernelExports } from './kernel-exports.ts';
import { kernelModule } from './kernel-module.ts';
import { MemoryTexts } from './memory-texts.ts';

/** Pages as in asconfig.json; a memory may have a lower maximum, never a higher one. */
export const initialPages = 16;
export const maximumPages = 32_768;
export const pageBytes = 65_536;

/** The kernel stopped in the middle of its work. Its model is unusable and has to be built anew. */
export class KernelFault extends Error {
  override readonly name = 'KernelFault';
}

/** Makes a memory that threads share, and that can grow to `bytesMost`. */
export function openMemory(bytesMost: number): WebAssembly.Memory {
  const maximum = Math.min(maximumPages, Math.ceil(bytesMost / pageBytes));
  return new WebAssembly.Memory({ initial: initialPages, maximum, shared: true });
}

/** Instantiates the kernel over a memory, which holds all of its state. */
export function openInstance(memory: WebAssembly.Memory): KernelExports {
  const texts = new MemoryTexts(memory);
  const instance = new WebAssembly.Instance(kernelModule(), {
    env: { memory, abort: onAbort },
    host: {
      formatNumber: (value: number, ...place: TextPlaces) => formatInto(texts, value, place),
      formatText: (text: number, length: number, ...place: TextPlaces) =>
        formatInto(texts, texts.read(text >>> 0, length), place),
    },
  });
  // The exports are written in assembly/index.ts, which has no type for this side.
  return instance.exports as object as KernelExports;
}

function onAbort(_message: number, _file: number, line: number, column: number): never {
  throw new KernelFault(`assertion at ${line}:${column}`);
}
