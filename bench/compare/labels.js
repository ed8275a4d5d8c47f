/** What the contenders are called in tables and picture. */
export const labels = {
  ours: 'this server',
  express: 'Express 5 + driver',
  fastify: 'Fastify 5 + driver',
  parse: 'Parse Server 9',
  parseRules: 'Parse Server 9, with the rules',
};
