/** A part of a paragraph. */
export interface MarkdownPart {
  kind: 'plain' | 'code' | 'strong';
  text: string;
}

/** Splits Markdown into paragraphs of plain text, `code` and **strong**. */
export function readMarkdown(text: string): MarkdownPart[][] {
  return text.split('\n\n').filter(Boolean).map(readParagraph);
}

function readParagraph(text: string): MarkdownPart[] {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).filter(Boolean);
  return parts.map((part) => {
    if (part.startsWith('`')) return { kind: 'code', text: part.slice(1, -1) };
    return part.startsWith('**') ? { kind: 'strong', text: part.slice(2, -2) } : { kind: 'plain', text: part };
  });
}
