// Colours a query and offers tables and columns. Everything is put in as text, never as markup.
const TOKEN = /(--[^\n]*|\/\*[\s\S]*?\*\/)|('(?:[^']|'')*'?)|(\b\d+(?:\.\d+)?\b)|([A-Za-z_]\w*)|([\s\S])/g
const KINDS = ["note", "text", "number"]
const OFFERED = 12
const KEYWORDS = `
all and any_value as asc avg between by case cast count cross desc distinct else end except
exclude exists false filter from group having ilike in inner intersect is join lateral left like
limit list max median min not null nulls offset on or order outer over partition pivot qualify
quantile_cont replace right round select sum then true union unpivot using values when where
window with`.trim().split(/\s+/)

export default function ({ data, parentElement, setTriggerValue }) {
  const area = parentElement.querySelector("textarea")
  const coloured = parentElement.querySelector("pre")
  const list = parentElement.querySelector("ul")
  const keywords = new Set(KEYWORDS)
  const tables = Object.keys(data.tables)
  let chosen = -1

  function colour() {
    coloured.replaceChildren()
    for (const part of area.value.matchAll(TOKEN)) {
      const at = KINDS.findIndex((_, index) => part[index + 1] !== undefined)
      const isWord = part[4] !== undefined && keywords.has(part[4].toLowerCase())
      const span = document.createElement("span")
      span.className = isWord ? "word" : at < 0 ? "" : KINDS[at]
      span.textContent = part[0]
      coloured.append(span)
    }
    coloured.append("\n")
    coloured.scrollTop = area.scrollTop
  }

  function names(before, start) {
    const owner = /([A-Za-z_]\w*)\.$/.exec(before.slice(0, start))
    if (owner) return data.tables[owner[1]] ?? []
    if (/\b(from|join)\s+$/i.test(before.slice(0, start))) return tables
    const used = tables.filter((table) => new RegExp(`\\b${table}\\b`).test(area.value))
    const columns = used.flatMap((table) => data.tables[table])
    return [...new Set([...columns, ...tables, ...KEYWORDS])]
  }

  function offer() {
    const before = area.value.slice(0, area.selectionStart)
    const word = /[A-Za-z_]\w*$/.exec(before)?.[0].toLowerCase() ?? ""
    const start = before.length - word.length
    const all = word || before.endsWith(".") ? names(before, start) : []
    const fit = (name) => name !== word && name.toLowerCase().includes(word)
    const first = (name) => (name.toLowerCase().startsWith(word) ? 0 : 1)
    const found = all.filter(fit).sort((a, b) => first(a) - first(b)).slice(0, OFFERED)
    chosen = -1
    list.replaceChildren(
      ...found.map((name) => {
        const item = document.createElement("li")
        item.setAttribute("role", "option")
        item.textContent = name
        item.onmousedown = (event) => {
          event.preventDefault()
          take(name, start)
        }
        return item
      }),
    )
    list.dataset.start = start
  }

  function take(name, start) {
    area.setRangeText(name, start, area.selectionStart, "end")
    list.replaceChildren()
    area.focus()
    colour()
  }

  function choose(by) {
    const items = [...list.children]
    chosen = (chosen + by + items.length) % items.length
    items.forEach((item, at) => item.setAttribute("aria-selected", String(at === chosen)))
  }

  function run() {
    list.replaceChildren()
    setTriggerValue("run", area.value)
  }

  area.oninput = () => {
    colour()
    offer()
  }
  area.onscroll = () => (coloured.scrollTop = area.scrollTop)
  area.onblur = () => list.replaceChildren()
  area.onkeydown = (event) => {
    const isOpen = list.children.length > 0
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run()
    else if (isOpen && event.key === "ArrowDown") choose(1)
    else if (isOpen && event.key === "ArrowUp") choose(-1)
    else if (isOpen && event.key === "Escape") list.replaceChildren()
    else if (isOpen && (event.key === "Tab" || (event.key === "Enter" && chosen >= 0)))
      take(list.children[Math.max(chosen, 0)].textContent, Number(list.dataset.start))
    else return
    event.preventDefault()
  }
  const button = parentElement.querySelector("button")
  button.onclick = run
  // What the page sends replaces what is typed only when the page sends something else.
  if (area.dataset.sent !== data.text) {
    area.dataset.sent = data.text
    area.value = data.text
  }
  colour()
  // What is typed before this program is there would be lost.
  area.disabled = button.disabled = false
}
