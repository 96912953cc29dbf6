/** The small part of Markdown that our own documents use, as HTML. Everything else is text. */
export function markdownToHtml(markdown: string): string {
  return markdown
    .trim()
    .split(/\n{2,}/)
    .map((block) => blockToHtml(block))
    .join('\n');
}

function blockToHtml(block: string): string {
  const fenced = /^```\w*\n([\s\S]*?)\n?```$/.exec(block);
  if (fenced !== null) return `<pre><code>${escapeHtml(fenced[1] ?? '')}</code></pre>`;
  const heading = /^(#{1,4}) (.+)$/.exec(block);
  if (heading !== null) {
    const level = heading[1]?.length ?? 1;
    return `<h${level}>${inline(heading[2] ?? '')}</h${level}>`;
  }
  if (block.startsWith('- ')) {
    const items = block.split(/^- /m).slice(1);
    return `<ul>${items.map((item) => `<li>${inline(item.trim())}</li>`).join('')}</ul>`;
  }
  return `<p>${inline(block)}</p>`;
}

export function inline(text: string): string {
  return escapeHtml(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\[([^\]]+)\]\((https?:[^)\s]+|[/#][^)\s]*)\)/g, '<a href="$2">$1</a>');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
