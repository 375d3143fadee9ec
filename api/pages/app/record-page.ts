import { type FormSpec, formPage } from './form.ts';
import type { Cell, ListView } from './list.ts';
import type { AppPage } from './screen.ts';

/** An action on a record: a link, a button that posts, or a disabled button with its reason. */
export type Act = { label: string } & ({ href: string } | { action: string } | { because: string });

/** A region of the page of a record. */
export interface RecordPart {
  name: string;
  /** A sentence below the heading. */
  about?: string | undefined;
  list?: ListView;
  acts?: readonly Act[];
}

/** The content of the page of a record. */
export interface RecordSpec {
  /** The h1. */
  title: string;
  facts: readonly { name: string; cell: Cell }[];
  /** What is wrong with the record. */
  trouble?: string | undefined;
  acts?: readonly Act[];
  parts?: readonly RecordPart[];
  /** Absent if the visitor may not change the record. */
  form?: { heading: string; action: string; spec: Omit<FormSpec, 'title'> } | undefined;
  /** The link to the page that ends the record, such as "Delete". */
  ending?: { label: string; href: string } | undefined;
}

/** The page of a record. */
export function recordPage(record: RecordSpec): AppPage {
  if (record.form) return formPage(recordForm(record, record.form));
  return { title: record.title, template: 'layout/record-page', data: { ...record, parts: withIds(record.parts) } };
}

/** The form on the page of a record, for `submitForm`. */
export function recordForm(record: Omit<RecordSpec, 'form'>, { heading, action, spec }: NonNullable<RecordSpec['form']>): FormSpec {
  const data = { ...record, parts: withIds(record.parts), heading, action };
  return { ...spec, title: record.title, template: 'layout/record-page', data };
}

function withIds(parts: readonly RecordPart[] = []) {
  return parts.map((part, index) => ({ ...part, id: `part-${index}` }));
}
