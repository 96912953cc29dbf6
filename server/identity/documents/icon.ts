/** Four cells of a sheet, of which one has branched off. */
export const iconSvg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0b6e4f"/>
<g fill="#fdfdfb"><rect x="6" y="6" width="9" height="9" rx="2"/><rect x="6" y="17" width="9" height="9" rx="2"/>
<rect x="17" y="6" width="9" height="9" rx="2"/></g>
<path d="M19 26v-3a4 4 0 0 1 4-4h3" fill="none" stroke="#fdfdfb" stroke-width="3" stroke-linecap="round"/>
</svg>
`;
