/**
 * Types of WebAssembly that workers/kernel.ts and its tests use. The DOM library has all of them,
 * together with a thousand globals that Node does not have.
 */
declare namespace WebAssembly {
  interface Module {
    /** A module can only be instantiated. */
    readonly [Symbol.toStringTag]: string;
  }
  const Module: {
    new (bytes: Uint8Array): Module;
    exports(module: Module): { readonly name: string; readonly kind: string }[];
  };

  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }

  class Memory {
    constructor(size: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: SharedArrayBuffer;
    grow(pageCount: number): number;
  }

  class RuntimeError extends Error {}
}
