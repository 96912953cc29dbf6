/** Parts of the title of the page: the screen, and the workbook that it belongs to. */
const parts = { screen: '', book: '' };

/** Names the screen in the title. */
export function tellScreen(screen: string): void {
  parts.screen = screen;
  show();
}

/** Names the workbook in the title; empty for screens of no workbook. */
export function tellBook(book: string): void {
  parts.book = book;
  show();
}

function show(): void {
  document.title = [parts.screen, parts.book, 'Quire'].filter((part) => part !== '').join(' · ');
}
