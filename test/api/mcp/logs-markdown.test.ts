import { logsMarkdown } from '../../../api/mcp/logs-markdown.ts';
import type { LogLine } from '../../../domain/code-run.ts';

const line = (message: string, level: LogLine['level'] = 'log'): LogLine => ({ level, message, timestamp: '2026-01-01T00:00:00.000Z' });

test('without log lines there is no section', () => {
  expect(logsMarkdown([], 'elsewhere')).toBe('');
});

test('log lines cannot close their Markdown code block; beyond 2,000 characters, only the last part is shown', () => {
  expect(logsMarkdown([line('a'), line('```\nb', 'error')], 'elsewhere')).toBe('Logs:\n\n````\na\nerror: ```\nb\n````');
  expect(logsMarkdown([line('x'.repeat(2000))], 'elsewhere')).toBe(`Logs:\n\n\`\`\`\n${'x'.repeat(2000)}\n\`\`\``);
  const many = logsMarkdown(
    Array.from({ length: 500 }, (_, index) => line(`line ${index}`)),
    'elsewhere',
  );
  expect(many).toMatch(/^Logs \(the last 2\d\d of 500 lines, cut; elsewhere\):\n\n```\nline 2\d\d\n/);
  expect(many).toMatch(/line 499\n```$/);
  expect(many.length).toBeLessThan(2100);
  expect(logsMarkdown([line('😀'.repeat(1001))], 'elsewhere')).toMatch(/^Logs \(the last 1 of 1 lines, cut.*😀…\n```$/s);
});
