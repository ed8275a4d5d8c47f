import { labels } from './labels.js';

/** A plot of requests a second as bars, an operation a group, each by the bare Express server's; without it by this server's. */

const colours = { ours: '#1a7f5a', express: '#8a8f98', fastify: '#b9bec6', parse: '#d98b3a', parseRules: '#b3541e' };
const [width, left, top, bar, gap, scale] = [860, 230, 56, 13, 16, 240];

/**
 * @param {{label: string, medians: Record<string, {perSecond: number}>}[]} outcomes
 * @returns the picture as SVG
 */
export function plotOf(outcomes) {
  const who = Object.keys(outcomes[0].medians);
  const unit = who.includes('express') ? 'express' : 'ours';
  const groupHeight = who.length * bar + gap;
  const height = top + outcomes.length * groupHeight + 34;
  const groups = outcomes.map((outcome, place) => group(outcome, who, unit, top + place * groupHeight));
  const line = left + scale;
  const ruler = `<line x1="${line}" x2="${line}" y1="${top - 6}" y2="${height - 30}" stroke="#444" stroke-dasharray="3 3"/>`;
  const foot = text(line, height - 14, `1.0: ${labels[unit]}`, 'middle');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text(12, 20, `Requests a second by those of ${labels[unit]} (and as they are)`, 'start', 'bold'),
    legend(who),
    ...groups,
    ruler,
    foot,
    '</svg>',
    '',
  ].join('\n');
}

function legend(who) {
  return who
    .map((name, place) => {
      const x = 12 + place * 150;
      return `<rect x="${x}" y="30" width="11" height="11" fill="${colours[name]}"/>${text(x + 16, 40, labels[name])}`;
    })
    .join('');
}

function group({ label, medians }, who, unit, y) {
  const bars = who.map((name, place) => {
    const ratio = medians[name].perSecond / medians[unit].perSecond;
    const [barY, length] = [y + place * bar, Math.min(ratio * scale, width - left - 110)];
    const figures = `${ratio.toFixed(2)} (${medians[name].perSecond.toFixed(0)})`;
    return (
      `<rect x="${left}" y="${barY}" width="${length.toFixed(1)}" height="${bar - 2}" fill="${colours[name]}"/>` +
      text(left + length + 6, barY + bar - 3, figures)
    );
  });
  return text(left - 8, y + (who.length * bar) / 2 + 4, label, 'end') + bars.join('');
}

function text(x, y, content, anchor = 'start', weight = 'normal') {
  const safe = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" font-weight="${weight}" fill="#222">${safe}</text>`;
}
