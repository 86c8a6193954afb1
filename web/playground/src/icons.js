// Pictures of the tools, drawn in lines on a grid of 24.
const draw = (paths) => `<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">${paths}</svg>`;

export const icons = {
  grab: draw('<path d="M8 12V6.500a1.500 1.500 0 0 1 3 0V11m0-.500v-5a1.500 1.500 0 0 1 3 0V11m0-.500V7a1.500 1.500 0 0 1 3 0v7c0 4-2 6.500-5.500 6.500-3 0-4.300-1.500-6-4.500L4 13.500c-.8-1.600 1.200-2.600 2.300-1.300L8 14"/>'),
  throw: draw('<circle cx="17" cy="7" r="3.500"/><path d="M3 20c2.500-5 5.500-8 9-10M4.500 13.500 6 12M9.500 19.500l2-2.500"/>'),
  pin: draw('<path d="M9 3h6l-1 6 3.500 3.500v1.500h-11v-1.500L10 9zM12 14v7"/>'),
  wind: draw('<path d="M3 9h10.500a2.500 2.500 0 1 0-2.500-2.500M3 13h15a2.500 2.500 0 1 1-2.500 2.500M3 17h7a2 2 0 1 1-2 2"/>'),
  explode: draw('<path d="M12 2.500v4M12 17.500v4M2.500 12h4M17.500 12h4M5.300 5.300l2.700 2.700M16 16l2.700 2.700M5.300 18.700 8 16M16 8l2.700-2.700"/><circle cx="12" cy="12" r="2"/>'),
  copy: draw('<rect x="8.500" y="8.500" width="11.500" height="11.500" rx="2"/><path d="M15.500 5.500V5a1.500 1.500 0 0 0-1.500-1.500H5A1.500 1.500 0 0 0 3.500 5v9A1.500 1.500 0 0 0 5 15.500h.5"/>'),
  delete: draw('<path d="M4 6.500h16M9.500 6V3.500h5V6M6 6.500l1 14h10l1-14M10 10.500v6M14 10.500v6"/>'),
  undo: draw('<path d="M8 5 4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3"/>'),
  redo: draw('<path d="m16 5 4 4-4 4M20 9H10a6 6 0 0 0 0 12h3"/>'),
  cut: draw('<circle cx="6" cy="6.500" r="2.800"/><circle cx="6" cy="17.500" r="2.800"/><path d="M8.300 8.200 20 17M8.300 15.800 20 7"/>'),
  add: draw('<path d="M12 4v16M4 12h16"/>'),
  connect: draw('<circle cx="5.500" cy="18.500" r="2.500"/><circle cx="18.500" cy="5.500" r="2.500"/><path d="m7.500 16.500 9-9"/>'),
  inspect: draw('<circle cx="10.500" cy="10.500" r="6.500"/><path d="m15.500 15.500 5 5M10.500 7.500v6M7.500 10.500h6"/>'),
};
