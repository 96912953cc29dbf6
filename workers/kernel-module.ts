import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

let compiled: WebAssembly.Module | undefined;
let digest: Buffer | undefined;

/** Returns the compiled module; each thread compiles it once. */
export function kernelModule(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(readModule());
  return compiled;
}

/** Returns the SHA-256 of the module, because other code may compute other values. */
export function kernelDigest(): Buffer {
  digest ??= createHash('sha256').update(readModule()).digest();
  return digest;
}

function readModule(): Buffer {
  return readFileSync(new URL(import.meta.resolve('#kernel.wasm')));
}
