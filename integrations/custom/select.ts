/**
 * Selects the actions to import. An action must match an item of each given list, and none of
 * `exclude`.
 */
export interface Selection {
  /** Operation ids, or `METHOD /path`. */
  operations?: readonly string[] | undefined;
  tags?: readonly string[] | undefined;
  /** The beginnings of paths. */
  paths?: readonly string[] | undefined;
  methods?: readonly string[] | undefined;
  tools?: readonly string[] | undefined;
  exclude?: Omit<Selection, 'exclude'> | undefined;
}

/** The properties of an operation or a tool that a selection compares. */
export interface Candidate {
  /** For example `GET /pets/{petId}`. */
  operation?: string;
  operationId?: string | undefined;
  tags?: readonly string[];
  tool?: string;
}

/** Whether a selection includes an operation or a tool. */
export function isSelected(candidate: Candidate, { exclude = {}, ...include }: Selection = {}): boolean {
  const given = (selection: Selection) => Object.entries(selection).filter(([, items]) => items !== undefined) as [List, string[]][];
  const fits = ([list, items]: [List, string[]]) => items.some((item) => FITS[list](candidate, item));
  return given(include).every(fits) && !given(exclude).some(fits);
}

type List = Exclude<keyof Selection, 'exclude'>;

const FITS: Record<List, (candidate: Candidate, item: string) => boolean> = {
  operations: ({ operation, operationId }, item) => item === operationId || sameOperation(item, operation),
  tags: ({ tags = [] }, item) => tags.includes(item),
  paths: ({ operation }, item) => operation?.slice(operation.indexOf(' ') + 1).startsWith(item) ?? false,
  methods: ({ operation }, item) => operation?.split(' ')[0] === item.toUpperCase(),
  tools: ({ tool }, item) => tool === item,
};

function sameOperation(item: string, operation: string | undefined): boolean {
  const [, method, path] = /^(\S+) +(.*)$/.exec(item) ?? [];
  return method !== undefined && operation === `${method.toUpperCase()} ${path}`;
}
