import { ActionError } from '../definition.ts';
import { encodeSegment, type RequestShape } from '../provider-request.ts';
import type { OperationCall, OperationParameter } from './operation.ts';
import { toBody } from './operation-body.ts';
import { toHeaderText, toPairs, toPathText } from './parameter-style.ts';

type Input = Readonly<Record<string, unknown>>;

/** Converts an operation to a request shape. */
export function operationShape(operation: OperationCall): RequestShape {
  const { method, parameters, body, accept } = operation;
  const inQuery = placed(parameters, 'query');
  return {
    method,
    path: (input) => pathOf(operation, input),
    encodedQuery: (input) => written(inQuery, input).join('&'),
    headers: (input) => ({ ...(accept && { accept }), ...headersOf(parameters, input) }),
    ...(body && { body: (input: Input) => toBody(body, body.others ? withoutParameters(parameters, input) : input) }),
  };
}

function withoutParameters(parameters: readonly OperationParameter[], input: Input): Input {
  const names = new Set(parameters.map((parameter) => parameter.input));
  return Object.fromEntries(Object.entries(input).filter(([name]) => !names.has(name)));
}

function placed(parameters: readonly OperationParameter[], place: OperationParameter['in']): OperationParameter[] {
  return parameters.filter((parameter) => parameter.in === place);
}

/** Throws for a segment of dots, which would change the path. */
function pathOf({ path, parameters }: OperationCall, input: Input): string {
  const byName = new Map(placed(parameters, 'path').map((parameter) => [parameter.name, parameter]));
  const filled = path.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const parameter = byName.get(name);
    if (!parameter) return whole;
    const value = input[parameter.input];
    if (value === undefined || value === null) throw new ActionError(`${parameter.input} is missing.`);
    const text = toPathText(parameter, value, (piece) => encodeSegment(parameter.input, piece));
    return text === '' ? encodeSegment(parameter.input, text) : text;
  });
  if (filled.split('/').some((segment) => segment === '.' || segment === '..'))
    throw new ActionError('The address made from the input is not valid.');
  return filled;
}

function headersOf(parameters: readonly OperationParameter[], input: Input): Record<string, string> {
  const headers = placed(parameters, 'header').flatMap((parameter) => {
    const value = input[parameter.input];
    return value === undefined || value === null ? [] : [[parameter.name.toLowerCase(), toHeaderText(parameter, value)]];
  });
  const cookie = written(placed(parameters, 'cookie'), input).join('; ');
  return { ...Object.fromEntries(headers), ...(cookie && { cookie }) };
}

function written(parameters: readonly OperationParameter[], input: Input): string[] {
  return parameters.flatMap((parameter) => toPairs(parameter, input[parameter.input]).map(([name, value]) => `${name}=${value}`));
}
