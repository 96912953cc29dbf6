import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

let compiled: WebAssembly.Module | undefined;
let digest: Buffer | undefined;

/** Compiled once a thread. */
export function kernelModule(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(readModule());
  return compiled;
}

/** SHA-256 of the module: other code may come to other values. */
export function kernelDigest(): Buffer {
  digest ??= createHash('sha256').update(readModule()).digest();
  return digest;
}

function readModule(): Buffer {
  return readFileSync(new URL(import.meta.resolve('#kernel.wasm')));
}
