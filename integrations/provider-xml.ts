/** An element of an XML document, without attributes. */
export interface XmlElement {
  name: string;
  text: string;
  children: XmlElement[];
}

const MAX_DEPTH = 32;
const TOKEN = /<\?[^>]*\?>|<!--[\s\S]*?-->|<(\/?)([A-Za-z_][\w.:-]*)((?:\s[^<>]*?)?)(\/?)>|([^<]+)/y;

/**
 * Returns the root element of plain XML. Undefined for anything else, also a DOCTYPE, so that there
 * are no custom entities.
 */
export function readXml(text: string): XmlElement | undefined {
  const top: XmlElement = { name: '', text: '', children: [] };
  const open = [top];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text);
    if (!token) return undefined;
    const [, closing, name, , empty, content] = token;
    const current = open.at(-1)!;
    if (content !== undefined) current.text += decode(content);
    else if (name !== undefined && closing) {
      if (open.length === 1 || current.name !== name) return undefined;
      open.pop();
    } else if (name !== undefined) {
      const element = { name, text: '', children: [] };
      current.children.push(element);
      if (!empty) open.push(element);
      if (open.length > MAX_DEPTH) return undefined;
    }
  }
  const isWhole = open.length === 1 && top.children.length === 1 && top.text.trim() === '';
  return isWhole ? top.children[0] : undefined;
}

/**
 * The text of an element, or an object of its children. Children with the same name become a list.
 */
export function xmlValue({ text, children }: XmlElement): unknown {
  if (children.length === 0) return text;
  const byName = Object.groupBy(children, ({ name }) => name);
  return Object.fromEntries(
    Object.entries(byName).map(([name, same = []]) => [name, same.length === 1 ? xmlValue(same[0]!) : same.map(xmlValue)]),
  );
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w+));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : whole;
  });
}
