import { describeImpact, describeIntent } from '../../../commands/reviews/describe-plan.ts';
import type { ActionCategory } from '../../../domain/policies/policy.ts';
import { planCode } from '../../../sandbox/plan/plan.ts';

const CATEGORIES: Record<string, ActionCategory> = {
  'crm.list_customers': 'read',
  'mail.send_email': 'send',
  'bank.refund': 'payment',
  'storage.delete_file': 'delete',
};
const SURFACE = { crm: ['list_customers'], mail: ['send_email'], bank: ['refund'], storage: ['delete_file'] };

function read(code: string) {
  const plan = planCode(code, SURFACE);
  const categoryOf = ({ alias, action }: { alias: string; action: string }) => CATEGORIES[`${alias}.${action}`];
  const gated = new Set(plan.calls.filter((call) => categoryOf(call) !== 'read'));
  return { intent: describeIntent(plan), impact: describeImpact(plan, { gated, categoryOf, cutOf: () => null }) };
}

test("the leading comment is shown as the program's own claim", () => {
  const code = `// Reminds those who have not paid
    const { customers } = await svc.crm.list_customers({ unpaid: true });
    for (const { email } of customers) await svc.mail.send_email({ to: email });`;
  expect(read(code)).toEqual({
    intent: 'The program describes itself: Reminds those who have not paid',
    impact:
      'It makes 2 calls. 1 needs your yes: mail.send_email, each time the program repeats it. It sends to others. ' +
      "We can't see yet what it sends.\n" +
      "If we can't see the input of a call, your yes is used by the first call of this action that the program makes, even one on another line.\n" +
      'The others need no yes: crm.list_customers (reads).',
  });
});

test('known inputs, domains, storage and unknown parts are each named', () => {
  const code = `await svc.bank.refund({ note: 'see https://example.com/r', amount: 1 });
    for (const path of ['a.txt', 'b.txt']) await svc.storage.delete_file({ path });
    await svc.mail[(await svc.crm.list_customers()).how]({});`;
  expect(read(code)).toEqual({
    intent: 'Runs a program that calls bank.refund; storage.delete_file; crm.list_customers.',
    impact:
      'It makes 4 calls. 3 need your yes:\n' +
      '• bank.refund (moves money), at most once, with the input shown.\n' +
      '• storage.delete_file (deletes), at most 2 times, with the input shown.\n' +
      'Some calls are not known until the program runs. They are checked against the policies when they are made.\n' +
      'The others need no yes: crm.list_customers (reads).\n' +
      'It contacts example.com.\n' +
      'It uses stored data: storage.delete_file: path a.txt; storage.delete_file: path b.txt.',
  });
});

test('a known call is described by its effect, and a call without a known input by what is missing', () => {
  const surface = { http: ['send_request'], storage: ['write_file', 'list_files'], hash: ['hash'] };
  const code = `const files = await svc.storage.list_files({ folder: 'a' });
    const { digest } = await svc.hash.hash({ text: files[0] });
    await svc.storage.write_file({ path: 'b', content: digest });
    await svc.http.send_request({ url: files[1] });`;
  const plan = planCode(code, surface);
  const categories: Record<string, ActionCategory> = { send_request: 'write', write_file: 'write', list_files: 'read', hash: 'read' };
  const gated = new Set(plan.calls.filter(({ action }) => action === 'send_request'));
  const impact = describeImpact(plan, { gated, categoryOf: ({ action }) => categories[action], cutOf: () => null });
  expect(impact.split('\n')).toEqual([
    "It makes 4 calls. 1 needs your yes: http.send_request, at most once. It changes data. We can't see yet what it sends.",
    "If we can't see the input of a call, your yes is used by the first call of this action that the program makes, even one on another line.",
    'The others need no yes: storage.list_files, hash.hash (read); storage.write_file (changes data).',
    'It uses stored data: storage.list_files: folder a; storage.write_file: path b.',
  ]);
});

test('very long lists are cut and marked as cut', () => {
  const code = Array.from({ length: 60 }, (_, n) => `await svc.storage.delete_file({ path: 'f${n}' });`).join('\n');
  expect(read(code).impact).toContain('path f19; and 40 more.');
});
