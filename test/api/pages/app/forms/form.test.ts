import { z } from 'zod';
import { type FormSpec, type formView, submitForm } from '../../../../../api/pages/app/form.ts';
import { GatewayError, validationError } from '../../../../../domain/errors.ts';

const SPEC: FormSpec = {
  title: 'New thing',
  button: 'Create thing',
  fields: [
    { name: 'name', label: 'Name', kind: 'text' },
    { name: 'count', label: 'Count', kind: 'number', isOptional: true },
    { name: 'kinds', label: 'Kinds', kind: 'checks', options: [] },
    { name: 'isOpen', label: 'Open', kind: 'check' },
    { name: 'password', label: 'Password', kind: 'password', isOptional: true },
  ],
};
const SCHEMA = z.strictObject({
  name: z.string(),
  count: z.int().optional(),
  kinds: z.array(z.string()),
  isOpen: z.boolean(),
  password: z.string().optional(),
});

type View = { form: ReturnType<typeof formView> };
const submit = (query: string, act: (values: z.output<typeof SCHEMA>) => unknown) =>
  submitForm(SPEC, SCHEMA, new URLSearchParams(query), async (values) => {
    act(values);
    return { seeOther: '/things' };
  });

test('the schema parses the values; empty fields are absent', async () => {
  const seen: unknown[] = [];
  await submit('name=+a+&count=12&kinds=x&kinds=y&isOpen=yes&password=+p+', (values) => seen.push(values));
  await submit('name=a&count=', (values) => seen.push(values));
  expect(seen).toEqual([
    { name: 'a', count: 12, kinds: ['x', 'y'], isOpen: true, password: ' p ' },
    { name: 'a', kinds: [], isOpen: false },
  ]);
});

test('an invalid form keeps its values except passwords, and links to invalid fields', async () => {
  const page = await submit('count=many&password=p', () => {});
  const { form } = (page as unknown as { data: View }).data;
  expect(page).toMatchObject({ status: 400, title: 'New thing' });
  expect(form.alert).toMatchObject({ lead: 'Nothing was saved.', sentence: undefined });
  expect(form.alert!.listed.map(({ id, problem }) => [id, problem])).toEqual([
    ['field-name', 'is missing'],
    ['field-count', 'expects a number'],
  ]);
  expect(form.fields.map(({ values }) => values)).toEqual([[], ['many'], [], [], []]);
});

test.each([
  [new GatewayError('DUPLICATE', 'There is one already.'), 409, 'There is one already.', []],
  [validationError([{ path: 'name', message: 'is taken' }]), 400, undefined, ['name']],
  [validationError([{ path: 'other', message: 'is wrong' }]), 400, 'other is wrong.', []],
])('an error of the command is shown with the form: %s', async (error, status, sentence, fields) => {
  const page = await submit('name=a', () => {
    throw error;
  });
  const { form } = (page as unknown as { data: View }).data;
  expect([(page as { status: number }).status, form.alert!.sentence, form.alert!.listed.map(({ name }) => name)]).toEqual([
    ...[status, sentence, fields],
  ]);
});

test('the error SCOPE_DENIED is thrown, not shown with the form', async () => {
  await expect(
    submit('name=a', () => {
      throw new GatewayError('SCOPE_DENIED', 'No.');
    }),
  ).rejects.toThrow('No.');
});
