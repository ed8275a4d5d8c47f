/** The operations that could be slower with more data, each as one request. Writes come last. */
export const reads = {
  'GET /teams': (organization) => organization.send('GET', '/teams'),
  'GET /schedules?filter=upcoming': (organization) => organization.send('GET', '/schedules?filter=upcoming'),
  'GET /schedules?filter=live': (organization) => organization.send('GET', '/schedules?filter=live'),
  'GET /schedules/{id}': (organization) => organization.send('GET', `/schedules/${organization.game}`),
  'GET …/player-statistics': (organization) =>
    organization.send('GET', `/schedules/${organization.game}/player-statistics`),
};

export const writes = {
  'POST /schedules': (organization) => organization.newSchedule(),
  'PATCH /schedules/{id}': (organization, index) =>
    organization.send('PATCH', `/schedules/${organization.game}`, {
      teamId: organization.teams[0],
      eventTitle: `Game ${index}`,
    }),
  'POST …/players (idem-key)': (organization) => organization.newPlayer(),
};

/** The last page by number, which can exceed the deadline, and by cursor; both from `prepareDeep`. */
export const deep = {
  'GET /schedules, the last page by cursor': (organization) =>
    organization.send('GET', `/schedules?limit=20&cursor=${organization.deep.cursor}`),
  'GET /schedules, the last page by page': (organization) =>
    organization.send('GET', `/schedules?limit=20&page=${organization.deep.page}`).catch(() => undefined),
};

/** A list right after a write of the organization, whose total is counted again. */
export const afterWrites = {
  'GET /schedules?filter=upcoming after each write': async (organization) => {
    await organization.newSchedule();
    await organization.send('GET', '/schedules?filter=upcoming');
  },
};

/** Follows the cursors and stores the position of the last page. */
export async function prepareDeep(organization) {
  const { total } = await organization.send('GET', '/schedules?limit=20');
  const begun = performance.now();
  let cursor;
  let seen = 0;
  for (let next = ''; next !== undefined;) {
    const page = await organization.send('GET', `/schedules?limit=100${next && `&cursor=${next}`}`);
    cursor = next;
    next = page.nextCursor;
    seen += page.data.length;
  }
  if (seen !== total) throw new Error(`A walk saw ${seen} of ${total}`);
  const milliseconds = ((performance.now() - begun) * 100) / total;
  console.log(`All of ${total} were walked by cursors, ${milliseconds.toFixed(1)} ms for each page of 100`);
  organization.deep = { page: Math.ceil(total / 20), cursor };
}
