/** The path below which a proxy publishes the server, such as `/c2`; empty if there is none. Also known in workers. */
export const basePath = /^(.*?)\/console(?:\/|$)/.exec(location.pathname)?.[1] ?? '';
