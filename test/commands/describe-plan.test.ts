import { describeImpact, describeIntent } from '../../commands/describe-plan.ts';
import type { ActionCategory } from '../../domain/policy.ts';
import { planCode } from '../../sandbox/plan.ts';

const CATEGORIES: Record<string, ActionCategory> = {
  'crm.list_customers': 'read',
  'mail.send_email': 'send',
  'bank.refund': 'payment',
  'storage.delete_file': 'delete',
};
const SURFACE = { crm: ['list_customers'], mail: ['send_email'], bank: ['refund'], storage: ['delete_file'] };

/** What a reviewer reads of a program of which every call but the reading ones is gated. */
function read(code: string) {
  const plan = planCode(code, SURFACE);
  const categoryOf = ({ alias, action }: { alias: string; action: string }) => CATEGORIES[`${alias}.${action}`];
  const gated = new Set(plan.calls.filter((call) => categoryOf(call) !== 'read'));
  return { intent: describeIntent(plan), impact: describeImpact(plan, { gated, categoryOf, cutOf: () => null }) };
}

test('what a program says of itself is told as its own words; how often and with what it acts is told from the code', () => {
  const code = `// Reminds those who have not paid
    const { customers } = await svc.crm.list_customers({ unpaid: true });
    for (const { email } of customers) await svc.mail.send_email({ to: email });`;
  expect(read(code)).toEqual({
    intent: 'The program says of itself: Reminds those who have not paid',
    impact:
      'Asks about 1 of 2 calls found in the code: mail.send_email (sends to others), as often as the program repeats it, with whatever input the program makes of it. Where an input is not known, the permission is used by whichever call of that action the program makes first, in that line or in another. Whatever else it calls is held to the policies when it is called. Not asked about here: crm.list_customers (reads).',
  });
});

test('known inputs, domains, storage and what cannot be told beforehand are each said', () => {
  const code = `await svc.bank.refund({ note: 'see https://example.com/r', amount: 1 });
    for (const path of ['a.txt', 'b.txt']) await svc.storage.delete_file({ path });
    await svc.mail[(await svc.crm.list_customers()).how]({});`;
  expect(read(code)).toEqual({
    intent: 'Runs a program that calls bank.refund; storage.delete_file; crm.list_customers.',
    impact:
      'Asks about 3 of 4 calls found in the code: bank.refund (moves money), at most once, with the input shown; storage.delete_file (deletes), at most 2 times, with the input shown. Not every call can be told before it runs. Whatever else it calls is held to the policies when it is called. Not asked about here: crm.list_customers (reads). Names the domains example.com. What is stored goes by storage.delete_file: path a.txt; storage.delete_file: path b.txt.',
  });
});

test('very long lists are cut, and say so', () => {
  const code = Array.from({ length: 60 }, (_, n) => `await svc.storage.delete_file({ path: 'f${n}' });`).join('\n');
  expect(read(code).impact).toContain('path f19; and 40 more.');
});
