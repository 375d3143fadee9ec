import { fieldName, inputFields, type Props, readInput } from '../../../../../api/pages/app/playground/input-fields.ts';

test.each(['constructor', 'toString', 'hasOwnProperty'])(
  'an input named %s has the field for its kind, and its value is read',
  async (name) => {
    const props: Props = { [name]: { displayName: 'Name', description: '', type: 'DROPDOWN', required: true, refreshers: [] } };
    const [field] = inputFields(props, {}, new URLSearchParams());
    expect([field!.name, field!.kind, field!.options]).toEqual([fieldName(name), 'text', undefined]);
    const form = new URLSearchParams({ [fieldName(name)]: 'a' });
    expect(await readInput(props, {}, form)).toEqual({ input: { [name]: 'a' }, problems: {} });
  },
);
