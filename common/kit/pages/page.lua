-- page.lua: pandoc filter that turns a handout into a page
--
--   - comments are dropped
--   - links to handouts and slides point to their pages; in print they name
--     the file
--   - a figure links to itself, since a phone shows it small
--   - content wider than the page scrolls separately, also by keyboard
--   - commands stand out from their output
--
-- Metadata print: the page is for paper.

local WIDE = 80 -- columns of a block that fit on paper at the usual size
local in_print = false

-- "handouts/ta.md#x" or "ta.md#x" -> "ta.html#x"
local function page_of(target)
    local name, anchor = target:match("^([^#:]*)%.md(#?.*)$")
    if not name then return nil end
    name = name:gsub("^handouts/", ""):gsub("^slides/", "slides-")
    if name:find("^%.%./lab") then name = name:sub(4) end -- in slides
    if name == "README" or name == "../README" then name = "index" end
    if name:find("/") then return nil end
    return name .. ".html" .. anchor
end

local function link(a)
    local page = page_of(a.target)
    if page and in_print then
        return { pandoc.Span(a.content), pandoc.Str(" (" .. a.target .. ")") }
    end
    a.target = page or a.target
    return a
end

local function relative(i)
    i.src = i.src:gsub("^handouts/", ""):gsub("^%.%./", "")
    return i
end

local function image(i)
    if not in_print then return pandoc.Link({ i }, i.src) end
end

-- The width in the first line of an SVG, or in the header of a PNG.
local function width_of(i)
    local file = io.open("handouts/" .. i.src, "rb")
    if not file then return 0 end
    local head = file:read(24) .. (file:read("l") or "")
    file:close()
    if head:sub(2, 4) == "PNG" then return (string.unpack(">I4", head, 17)) end
    return tonumber(head:match('width="(%d+)"')) or 0
end

-- A paragraph of only images is a figure; the style sheet needs its width.
local function figure(p)
    local width = 0
    for _, inline in ipairs(p.content) do
        if inline.t == "Image" then
            width = math.max(width, width_of(inline))
        elseif inline.t ~= "Space" and inline.t ~= "SoftBreak" then
            return nil
        end
    end
    return pandoc.Div({ p },
        { class = "figure", style = "--width: " .. width .. "px" })
end

local function raw(r)
    if r.format == "html" and r.text:match("^%s*<!%-%-") then return {} end
end

local function escape(s)
    return (s:gsub("[&<>]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }))
end

local function code(c)
    local columns, lines = 0, {}
    for line in (c.text .. "\n"):gmatch("([^\n]*)\n") do
        columns = math.max(columns, utf8.len(line) or #line)
        line = escape(line)
        if c.classes:includes("console") and line:match("^%$ ") then
            line = "<b>" .. line .. "</b>"
        end
        lines[#lines + 1] = line
    end
    local class = columns > WIDE and ' class="wide"' or ""
    return pandoc.RawBlock("html", '<pre tabindex="0"' .. class .. "><code>"
        .. table.concat(lines, "\n") .. "</code></pre>")
end

-- Drop the column widths that pandoc gives tables with long lines; browsers
-- choose better ones.
local function tabular(t)
    for i, spec in ipairs(t.colspecs) do t.colspecs[i] = { spec[1] } end
    return pandoc.Div(t, { class = "table", tabindex = "0" })
end

local function meta(m)
    in_print = m.print ~= nil
end

local function title(doc)
    for _, block in ipairs(doc.blocks) do
        if block.t == "Header" and block.level == 1 then
            doc.meta.pagetitle = pandoc.utils.stringify(block)
            return doc
        end
    end
end

return {
    { Meta = meta },
    { Link = link },
    { Image = relative },
    { Para = figure },
    { Image = image, RawBlock = raw, RawInline = raw, CodeBlock = code,
      Table = tabular, Pandoc = title },
}
