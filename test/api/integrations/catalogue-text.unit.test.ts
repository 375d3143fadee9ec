import { catalogText } from '../../../api/v1/integrations/present.ts';
import { openCatalog } from '../../../integrations/catalog.ts';

test.each([true, false])(
  'while the catalogue is written, the event loop runs at least once for each integration, summary: %s',
  async (summary) => {
    const catalog = openCatalog();
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const [first, second] = await Promise.all([catalogText(catalog, summary), catalogText(catalog, summary)]);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(catalog.list().length);
    expect(second).toBe(first);
    expect(JSON.parse(first.list.text)).toHaveLength(first.total);
  },
);
