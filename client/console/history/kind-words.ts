const words: Readonly<Record<string, string>> = {
  'cells.set': 'typed',
  'range.set': 'wrote a block of cells',
  'range.clear': 'cleared cells',
  'range.copy': 'copied cells',
  'range.move': 'moved cells',
  'range.fill': 'filled cells',
  'range.autofill': 'filled cells',
  'range.sort': 'sorted rows',
  'format.set': 'changed how cells look',
  'numfmt.set': 'changed a number format',
  'rows.insert': 'put rows in',
  'rows.delete': 'deleted rows',
  'rows.move': 'moved rows',
  'rows.size': 'changed the height of rows',
  'rows.hide': 'hid or showed rows',
  'cols.insert': 'put columns in',
  'cols.delete': 'deleted columns',
  'cols.move': 'moved columns',
  'cols.size': 'changed the width of columns',
  'cols.hide': 'hid or showed columns',
  'sheet.add': 'added a sheet',
  'sheet.rename': 'renamed a sheet',
  'sheet.delete': 'deleted a sheet',
  'sheet.move': 'moved a sheet',
  'sheet.props': 'changed a sheet',
  'note.set': 'wrote a note',
  'note.delete': 'deleted a note',
  'comment.add': 'wrote a comment',
  'comment.reply': 'answered a comment',
  'comment.resolve': 'settled a comment',
  'cellmerge.add': 'merged cells',
  'cellmerge.remove': 'took merged cells apart',
  'rows.upsert': 'wrote rows of a table',
  commit: 'named this version',
  merge: 'merged a branch',
  undo: 'undid a change',
  redo: 'did a change again',
  revert: 'went back to an earlier version',
};

/** Returns the kind of an operation as a sentence goes on behind a name: `typed`, `deleted rows`. */
export function kindWords(kind: string): string {
  const known = words[kind];
  if (known !== undefined) return known;
  const [noun = kind, verb = 'change'] = kind.split('.');
  return `${noun}: ${verb}`;
}
