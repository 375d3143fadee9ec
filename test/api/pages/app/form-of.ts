/**
 * Returns the unchanged values of the form with this id. A select without a selected option counts
 * as empty.
 */
export function formOf(id: string, html: string): URLSearchParams {
  const form = new URLSearchParams();
  const plainOf = (text: string) =>
    text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name as 'lt']!);
  const [, inside] = new RegExp(`<form[^>]* id="${id}"[^>]*>([^]*?)</form>`).exec(html)!;
  for (const [tag, name] of inside!.matchAll(/<(?:input|textarea|select)[^>]* name="([^"]+)"[^>]*>/g)) {
    const value = plainOf(/ value="([^"]*)"/.exec(tag)?.[1] ?? '');
    const rest = inside!.slice(inside!.indexOf(tag) + tag.length);
    if (tag.startsWith('<textarea')) form.append(name!, plainOf(rest.slice(0, rest.indexOf('</textarea>')).replace(/^\n/, '')));
    else if (tag.startsWith('<select'))
      form.append(name!, plainOf(/value="([^"]*)" selected/.exec(rest.slice(0, rest.indexOf('</select>')))?.[1] ?? ''));
    else if (!/type="(?:radio|checkbox)"/.test(tag) || / checked/.test(tag)) form.append(name!, value);
  }
  return form;
}
