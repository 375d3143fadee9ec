import { isObject, type Path } from '../schema/evaluation.ts';
import type { DocumentProblem } from './document-problem.ts';
import { isName, namesIn, OPERATOR_KEYS, operatorOf, type Template } from './template.ts';

interface Names {
  roots: readonly string[];
  inputs: ReadonlySet<string> | undefined;
}

/** Finds unknown names in a template, and operators with wrong keys. */
export function checkTemplate(template: Template, path: Path, names: Names): DocumentProblem[] {
  if (typeof template === 'string') return checkText(template, path, names);
  if (Array.isArray(template)) return template.flatMap((item, index) => checkTemplate(item, [...path, index], names));
  if (!isObject(template)) return [];
  const operator = operatorOf(template);
  const inner = operator === 'each' ? { ...names, roots: [...names.roots, 'item'] } : names;
  return [
    ...(operator ? operatorProblems(template, operator, path) : []),
    ...Object.entries(template).flatMap(([key, value]): DocumentProblem[] => {
      const at = [...path, key];
      if (key === 'each' && operator === 'each') return checkText(`{${value}}`, at, names);
      if (key === '$if' || (key === 'where' && operator === 'each')) return conditionsIn(value, at, inner);
      return checkTemplate(value, at, inner);
    }),
  ];
}

const LISTS = ['$first', '$concat'];

function operatorProblems(template: Record<string, unknown>, operator: string, path: Path): DocumentProblem[] {
  const { needs, takes } = OPERATOR_KEYS[operator]!;
  const known = [operator, ...needs, ...takes];
  return [
    ...needs.filter((key) => !(key in template)).map((key) => ({ path, message: `missing key "${key}", which ${operator} needs` })),
    ...Object.keys(template)
      .filter((key) => !known.includes(key))
      .map((key) => ({ path: [...path, key], message: `unknown key "${key}"; the keys are ${known.join(', ')}`, ofKey: true })),
    ...(LISTS.includes(operator) && !Array.isArray(template[operator]) ? [{ path: [...path, operator], message: 'expects an array' }] : []),
    ...(operator === '$switch' && !isObject(template.$cases) ? [{ path: [...path, '$cases'], message: 'expects an object' }] : []),
    ...(operator === 'each' && typeof template.each !== 'string' ? [{ path: [...path, 'each'], message: 'expects a string' }] : []),
  ];
}

function conditionsIn(value: unknown, path: Path, names: Names): DocumentProblem[] {
  return [value].flat().flatMap((condition) => {
    if (!isObject(condition) || typeof condition.path !== 'string') return [{ path, message: 'expects an object with a path' }];
    return checkText(`{${condition.path}}`, path, names);
  });
}

/**
 * Checks the names in a text. In a text that holds more than braces, an unknown word without a dot
 * in braces is plain text.
 */
function checkText(text: string, path: Path, { roots, inputs }: Names): DocumentProblem[] {
  return namesIn(text).flatMap((name) => {
    const [root, key] = name.split('.');
    if (!roots.includes(root!)) {
      if (!isName(text) && !name.includes('.')) return [];
      return [{ path, message: `{${name}}: unknown name "${root}"; a name begins with ${roots.join(', ')}` }];
    }
    if (root !== 'input' || key === undefined || !inputs || inputs.has(key)) return [];
    return [
      {
        path,
        message: `unknown input "${key}"; ${inputs.size > 0 ? `the inputs are ${[...inputs].slice(0, 50).join(', ')}` : 'the action has no inputs'}`,
      },
    ];
  });
}
