import type { AuthMethod, PropOption } from '../../../integrations/definition.ts';
import { describeAuthProps, type PropType } from '../../../integrations/describe-props.ts';

/** One field of an auth method. */
export interface AuthField {
  name: string;
  label: string;
  hint: string;
  control: 'text' | 'password' | 'number' | 'checkbox' | 'select' | 'textarea' | 'json';
  required: boolean;
  options: PropOption[];
  defaultValue: unknown;
  /** Whether white space around the value is kept. */
  isVerbatim?: boolean;
}

/** The fields that a person fills in. With OAuth: before consent. */
export function authFields(method: AuthMethod): AuthField[] {
  switch (method.type) {
    case 'SECRET_TEXT':
      return [field('secretText', method.displayName, 'password')];
    case 'BASIC_AUTH':
      return [
        ...propFields(method),
        field('username', 'User name', 'text'),
        { ...field('password', 'Password', 'password'), required: false, isVerbatim: true },
      ];
    default:
      return propFields(method);
  }
}

function field(name: string, label: string, control: AuthField['control']): AuthField {
  return { name, label, hint: '', control, required: true, options: [], defaultValue: undefined };
}

function propFields(method: AuthMethod): AuthField[] {
  return Object.entries(describeAuthProps(method)).map(([name, prop]) => ({
    name,
    label: prop.displayName,
    hint: prop.description,
    control: prop.type === 'STATIC_DROPDOWN' ? 'select' : prop.secret ? 'password' : (CONTROLS[prop.type] ?? 'text'),
    required: prop.required && prop.type !== 'CHECKBOX',
    options: prop.options?.options ?? [],
    defaultValue: prop.defaultValue,
  }));
}

const CONTROLS: Partial<Record<PropType, AuthField['control']>> = {
  NUMBER: 'number',
  CHECKBOX: 'checkbox',
  LONG_TEXT: 'textarea',
  OBJECT: 'json',
  ARRAY: 'json',
  STATIC_MULTI_SELECT_DROPDOWN: 'json',
  JSON: 'json',
};
