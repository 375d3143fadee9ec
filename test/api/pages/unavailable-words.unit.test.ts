import { unavailableWords } from '../../../api/pages/layout/unavailable-words.ts';

const WAIT = 'Nothing changed. Wait a moment, then try again.';

test.each([
  ['Temporal is not reachable right now.', 'Temporal is not reachable', WAIT],
  ['The database is not reachable right now.', 'The database is not reachable', WAIT],
  ['id.example.com does not answer. Try again in a moment.', 'id.example.com does not answer', 'Try again in a moment.'],
  ['No full stop', 'No full stop', WAIT],
])('"%s" becomes a title and a sentence', (message, title, sentence) => {
  expect(unavailableWords({ message })).toEqual({ title, sentence });
});
