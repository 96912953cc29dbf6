import { allocate, allocateZeroed, release } from '../memory/arena';
import { hashBytes, hashWord, noteProbe } from '../memory/keyed-hash';
import { at } from '../memory/pointer';
import { dropText, internText } from '../memory/text';
import { KIND_STRING } from '../abi';
import { model } from '../grid/model';
import { bytesIn, pushUnit, startOf } from './buffer';
import { constants, lex, lexNothing, openLexer, references, source, usesNames } from './lexer';
import { dropWords } from './record-text';
import { code, metFlags, openParser, parse, parseNothing } from './parser';
import { RECORD_BYTES, RECORD_STRUCTURED, ReferenceRecord, isMark } from './token';
import { slotCount } from './scope';

/**
 * A template: what all cells filled down from one formula share. Source text with marks for
 * references and literals, reference records relative to the cell, and code. Literals are not part
 * of it; a run of cells holds them.
 */
@unmanaged
export class Template {
  hash: u32 = 0;
  next: u32 = 0;
  /** Runs and names that use it. */
  holders: u32 = 0;
  /** MODE_* of how it was entered. */
  mode: u32 = 0;
  source: u32 = 0;
  sourceBytes: u32 = 0;
  references: u32 = 0;
  referenceCount: u32 = 0;
  code: u32 = 0;
  codeBytes: u32 = 0;
  constantCount: u32 = 0;
  localCount: u32 = 0;
  /** TEMPLATE_* bits. */
  flags: u32 = 0;
}

export const MODE_DYNAMIC: u32 = 0;
export const MODE_LEGACY: u32 = 1;
export const MODE_ARRAY: u32 = 2;

export const TEMPLATE_VOLATILE: u32 = 1;
/** Its value depends on where its cell stands. */
export const TEMPLATE_PLACE: u32 = 2;
export const TEMPLATE_NAMES: u32 = 4;
export const TEMPLATE_TABLES: u32 = 8;
/** It has a 3-D reference. */
export const TEMPLATE_SPAN: u32 = 16;
/** It calls SUBTOTAL or AGGREGATE (FUNCTION_SUBTOTAL of functions/function-record.ts). */
export const TEMPLATE_SUBTOTAL: u32 = 32;
/** The batch interpreter knows all that it does, or not (batch/eligible.ts). */
export const TEMPLATE_BATCHED: u32 = 64;
export const TEMPLATE_NOT_BATCHED: u32 = 128;
/** Its text is no formula. */
export const TEMPLATE_UNREAD: u32 = 256;

/** Makes the lists that compilation fills; scratch must be open. */
export function openCompiler(): void {
  openLexer();
  openParser();
}

/**
 * The template of a formula text (without `=`), whose home was set with setHome; its literals are
 * left in the lexer's `constants`. 0 when the text is no formula (`problem` says why).
 */
export function compile(units: usize, length: u32, mode: u32): usize {
  const template = lex(units, length) ? internTemplate(mode) : 0;
  dropWords();
  return template;
}

/** As `compile`; a text that is no formula stays as it is, and gives #NAME?. */
export function compileAnyway(units: usize, length: u32, mode: u32): usize {
  const template = compile(units, length, mode);
  if (template) return template;
  lexNothing();
  for (let index: u32 = 0; index < length; index++) {
    const letter = load<u16>(units + ((<usize>index) << 1));
    pushUnit(source, isMark(letter) ? 0xfffd : letter);
  }
  parseNothing();
  const hash = keyHash(mode);
  const existing = findTemplate(hash, mode);
  const unread = existing ? existing : newTemplate(hash, mode);
  at<Template>(unread).flags |= TEMPLATE_UNREAD;
  return unread;
}

/** The template of what the lexer's lists hold now, parsed if it is new. */
function internTemplate(mode: u32): usize {
  const hash = keyHash(mode);
  const existing = findTemplate(hash, mode);
  if (existing) return existing;
  return parse(mode == MODE_LEGACY) ? newTemplate(hash, mode) : 0;
}

function newTemplate(hash: u32, mode: u32): usize {
  const address = allocateZeroed(offsetof<Template>());
  const template = at<Template>(address);
  template.hash = hash;
  template.mode = mode;
  template.sourceBytes = bytesIn(source);
  template.source = <u32>copyOut(startOf(source), template.sourceBytes);
  const recordBytes = bytesIn(references);
  template.references = <u32>copyOut(startOf(references), recordBytes);
  template.referenceCount = recordBytes / RECORD_BYTES;
  template.codeBytes = bytesIn(code);
  template.code = <u32>copyOut(startOf(code), template.codeBytes);
  template.constantCount = bytesIn(constants) >> 4;
  template.localCount = slotCount();
  template.flags = metFlags | (usesNames ? TEMPLATE_NAMES : 0) | recordFlags(template);
  holdTexts(template, true);
  link(template, address);
  return address;
}

/** Takes hold of the texts that its references name, or lets go of them. */
function holdTexts(template: Template, isHeld: bool): void {
  for (let index: u32 = 0; index < template.referenceCount; index++) {
    const record = recordOf(template, index);
    holdText(record.table, isHeld);
    holdText(record.columnName0, isHeld);
    holdText(record.columnName1, isHeld);
  }
}

function holdText(text: u32, isHeld: bool): void {
  if (!text) return;
  if (isHeld) internText(text);
  else dropText(text);
}

function recordFlags(template: Template): u32 {
  let flags: u32 = 0;
  for (let index: u32 = 0; index < template.referenceCount; index++) {
    const record = recordOf(template, index);
    if (record.kind == RECORD_STRUCTURED) flags |= TEMPLATE_TABLES | TEMPLATE_PLACE;
    if (record.lastSheet) flags |= TEMPLATE_SPAN;
  }
  return flags;
}

export function recordOf(template: Template, index: u32): ReferenceRecord {
  return at<ReferenceRecord>(<usize>template.references + <usize>index * RECORD_BYTES);
}

function copyOut(from: usize, byteCount: u32): usize {
  if (!byteCount) return 0;
  const to = allocate(byteCount);
  memory.copy(to, from, byteCount);
  return to;
}

function keyHash(mode: u32): u32 {
  const hash = hashBytes(startOf(source), bytesIn(source)) ^ mode;
  const recordBytes = bytesIn(references);
  return <u32>(
    (recordBytes
      ? hashWord(rotl<u64>(hash, 1) ^ hashBytes(startOf(references), recordBytes))
      : hash)
  );
}

function findTemplate(hash: u32, mode: u32): usize {
  const root = model();
  if (!root.templateBucketCount) return 0;
  let address = <usize>(
    load<u32>(<usize>root.templateBuckets + ((<usize>(hash & (root.templateBucketCount - 1))) << 2))
  );
  const sourceBytes = bytesIn(source);
  const recordBytes = bytesIn(references);
  while (address) {
    noteProbe();
    const template = at<Template>(address);
    if (
      template.hash == hash &&
      template.mode == mode &&
      template.sourceBytes == sourceBytes &&
      template.referenceCount * RECORD_BYTES == recordBytes &&
      memory.compare(template.source, startOf(source), sourceBytes) == 0 &&
      memory.compare(template.references, startOf(references), recordBytes) == 0
    ) {
      return address;
    }
    address = template.next;
  }
  return 0;
}

function link(template: Template, address: usize): void {
  const root = model();
  if (root.templateCount >= root.templateBucketCount) growTable();
  const bucket =
    <usize>root.templateBuckets + ((<usize>(template.hash & (root.templateBucketCount - 1))) << 2);
  template.next = load<u32>(bucket);
  store<u32>(bucket, <u32>address);
  root.templateCount++;
}

function growTable(): void {
  const root = model();
  const count = max(256, root.templateBucketCount << 1);
  const buckets = allocateZeroed(count << 2);
  for (let index: u32 = 0; index < root.templateBucketCount; index++) {
    let address = load<u32>(<usize>root.templateBuckets + ((<usize>index) << 2));
    while (address) {
      const template = at<Template>(address);
      const following = template.next;
      const bucket = buckets + ((<usize>(template.hash & (count - 1))) << 2);
      template.next = load<u32>(bucket);
      store<u32>(bucket, address);
      address = following;
    }
  }
  if (root.templateBuckets) release(root.templateBuckets, root.templateBucketCount << 2);
  root.templateBuckets = <u32>buckets;
  root.templateBucketCount = count;
}

export function holdTemplate(address: usize): void {
  at<Template>(address).holders++;
}

/** One holder less; the last one frees the template. */
export function dropTemplate(address: usize): void {
  const template = at<Template>(address);
  if (--template.holders) return;
  const root = model();
  let place =
    <usize>root.templateBuckets + ((<usize>(template.hash & (root.templateBucketCount - 1))) << 2);
  while (load<u32>(place) != <u32>address) {
    noteProbe();
    place = <usize>load<u32>(place) + offsetof<Template>('next');
  }
  store<u32>(place, template.next);
  root.templateCount--;
  if (template.sourceBytes) release(template.source, template.sourceBytes);
  holdTexts(template, false);
  if (template.referenceCount) release(template.references, template.referenceCount * RECORD_BYTES);
  if (template.codeBytes) release(template.code, template.codeBytes);
  release(address, offsetof<Template>());
}

/** A lasting copy of the lexer's constants, texts interned; 0 when there are none. */
export function keepConstants(): usize {
  const byteCount = bytesIn(constants);
  if (!byteCount) return 0;
  const kept = allocate(byteCount);
  memory.copy(kept, startOf(constants), byteCount);
  for (let offset: u32 = 0; offset < byteCount; offset += 16) {
    const slot = kept + offset;
    if (load<u32>(slot, 8) == KIND_STRING) store<u64>(slot, internText(load<u32>(slot)));
  }
  return kept;
}

export function dropConstants(kept: usize, count: u32): void {
  if (!kept || !count) return;
  for (let index: u32 = 0; index < count; index++) {
    const slot = kept + ((<usize>index) << 4);
    if (load<u32>(slot, 8) == KIND_STRING) dropText(load<u32>(slot));
  }
  release(kept, count << 4);
}
