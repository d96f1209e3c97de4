# layers.awk: which module uses which, against a table of what is allowed
#
#   awk -f layers.awk TABLE FACTS
#
# layers.sh gathers the facts, one a line:
#   file PATH               a source file
#   include PATH NAME       it includes <NAME> or "NAME"
#   object PATH             an object file, without ".o"
#   uses PATH SYMBOL        it uses a symbol that it doesn't define
#   defines PATH SYMBOL
#   weak PATH SYMBOL        it defines it, but others may as well
#   mentions SYMBOL         a test names it, or a header that programs include
#   holds PROGRAM SYMBOL    a program contains a symbol
#
# Prints what is wrong, a line each, and exits with status 1 if anything is.

function wrong(text) { print "layers: " text; nwrong++ }

# A pattern as a regular expression; '*' stands for any part of a name. Each is
# made once, when the table is read, and compared with thousands of names.
function expression(pattern)
{
    gsub(/[.+]/, "\\\\&", pattern)
    gsub(/\*/, "[^/]*", pattern)
    return "^" pattern "$"
}

# True if the path matches the module pattern i, with `stem` set to what its '%'
# stands for.
function matches(path, i,    rest)
{
    stem = ""
    if (!(i in before))
        return path ~ pattern_re[i]
    if (!match(path, before[i]))
        return 0
    rest = substr(path, RLENGTH + 1)
    if (!match(rest, /^[a-z]+[0-9]+/))
        return 0
    stem = substr(rest, 1, RLENGTH)
    return substr(rest, RLENGTH + 1) ~ after[i]
}

# Keep a module's pattern, and what comes before and after its '%'.
function add_pattern(module, p,    at)
{
    owner[++npatterns] = module
    pattern[npatterns] = p
    pattern_re[npatterns] = expression(p)
    at = index(p, "%")
    if (at) {
        before[npatterns] = expression(substr(p, 1, at - 1))
        sub(/\$$/, "", before[npatterns])
        after[npatterns] = expression(substr(p, at + 1))
    }
}

# The module of a file, by its path without extension: "NAME STEM", "" if no
# line of the table has it.
function module_of(path,    i, m)
{
    sub(/\.[a-z]+$/, "", path)
    if (path in known)
        return known[path]
    m = ""
    for (i = 1; i <= npatterns && m == ""; i++)
        if (matches(path, i)) {
            m = owner[i] " " stem
            matched[i] = 1
        }
    return known[path] = m
}

function named(m,    part)
{
    split(m, part, " ")
    sub(/%/, part[2], part[1])
    return part[1]
}

# The module of a symbol that belongs to one wherever it is defined, "" if none.
function symbol_module(name,    i)
{
    if (name in symbol_known)
        return symbol_known[name]
    for (i = 1; i <= nsymbols; i++)
        if (name ~ symbol_re[i]) {
            symbol_used[i] = 1
            return symbol_known[name] = symbol_owner[i] " "
        }
    return symbol_known[name] = ""
}

# The layer of a file within its module, 0 if no line has it.
function layer_of(path,    i)
{
    sub(/\.[a-z]+$/, "", path)
    if (path in layer_known)
        return layer_known[path]
    if (path in layer_of_name) {
        layer_used[layer_of_name[path]] = 1
        return layer_known[path] = height[layer_of_name[path]]
    }
    for (i = 1; i <= nlayers; i++)
        if (path ~ layer_re[i]) {
            layer_used[i] = 1
            return layer_known[path] = height[i]
        }
    return layer_known[path] = 0
}

# True if the table divides the folder that a file is in.
function is_layered(path,    folder)
{
    for (folder in layered)
        if (index(path, folder) == 1)
            return 1
    return 0
}

# A file uses one of the same module, which has to be in a layer below: or in
# the same one, if that is a circle.
function within(from, to, what,    a, b, key)
{
    a = from
    sub(/\.[a-z]+$/, "", a)
    b = to
    sub(/\.[a-z]+$/, "", b)
    if (a == b || layer_of(a) > layer_of(b) || !layer_of(a) || !layer_of(b))
        return
    key = a " " b
    if (key in upward)
        upward_used[key] = 1
    else if (layer_of(a) < layer_of(b))
        wrong(from " is below " to ", and " what)
    else if (is_circle[layer_of(a)])
        circle_uses[a] = circle_used[b] = 1
    else
        wrong(from " is in one layer with " to ", and " what)
}

# Module a uses module b: `how` says where.
function arrow(a, b, how,    x, y, key)
{
    if (a == b)
        return
    split(a, x, " ")
    split(b, y, " ")
    # a lab may use what is of the same lab only
    key = x[1] " " y[1]
    if (!(key in allowed) || (x[2] != "" && y[2] != "" && x[2] != y[2])) {
        key = named(a) " -> " named(b)
        if (refused[key]++ < 3)
            wrong(key " is not allowed: " how)
        return
    }
    seen[key] = 1
}

# The file that an include line means, "" if it is none of ours.
function resolve(path, name,    dir, lab, i, n, place)
{
    dir = path
    sub(/[^\/]*$/, "", dir)
    lab = dir
    sub(/^(common\/staff|solutions|labs)\//, "", lab)
    n = split(dir " common/ common/simgpu/ common/simgpu/include/ " \
              "common/simgpu/extras/include/ " \
              "solutions/" lab " labs/" lab " common/staff/" lab, place, " ")
    place[++n] = "" # the grader's includes start at the top of the tree
    for (i = 1; i <= n; i++)
        if ((place[i] name) in exists)
            return place[i] name
    return ""
}

# ---- the table ---------------------------------------------------------------

FNR == 1 { nfiles++ }
nfiles == 1 { sub(/#.*/, "") }
NF == 0 { next }
nfiles == 1 && $1 == "module" {
    for (i = 3; i <= NF; i++)
        add_pattern($2, $i)
    is_module[$2] = 1
    next
}
nfiles == 1 && $1 == "symbols" {
    for (i = 3; i <= NF; i++) {
        symbol_owner[++nsymbols] = $2
        symbol[nsymbols] = $i
        symbol_re[nsymbols] = expression($i)
    }
    is_module[$2] = 1
    next
}
nfiles == 1 && $1 == "uses" {
    for (i = 3; i <= NF; i++)
        allowed[$2 " " $i] = 1
    next
}
nfiles == 1 && ($1 == "layer" || $1 == "circle") {
    is_circle[++nheights] = $1 == "circle"
    layered[$2] = 1
    for (i = 3; i <= NF; i++) {
        layer[++nlayers] = $2 $i
        layer_re[nlayers] = expression($2 $i)
        height[nlayers] = nheights
        if (!index($i, "*") && !(($2 $i) in layer_of_name))
            layer_of_name[$2 $i] = nlayers
    }
    next
}
nfiles == 1 && $1 == "upward" {
    upward[$2 $3 " " $2 $4] = 1
    next
}
nfiles == 1 && $1 == "outside" {
    for (i = 2; i <= NF; i++) {
        outside[++noutside] = $i
        outside_re[noutside] = expression($i)
    }
    next
}
nfiles == 1 && $1 == "unbuilt" {
    unbuilt[++nunbuilt] = $2
    unbuilt_re[nunbuilt] = expression($2)
    next
}
nfiles == 1 && $1 == "libc" {
    for (i = 2; i <= NF; i++)
        libc[$i] = 1
    next
}
nfiles == 1 && $1 == "program" {
    for (i = 3; i <= NF; i++)
        may_hold[$2 " " $i] = 1
    is_program[$2] = 1
    next
}
nfiles == 1 {
    wrong("the table's line " FNR " starts with \"" $1 "\"")
    next
}

# ---- facts -------------------------------------------------------------------

$1 == "file" { exists[$2] = 1 }
$1 == "object" { object[$2] = 1 }
$1 == "include" { include[++nincludes] = $2 " " $3 }
$1 == "uses" { use[++nuses] = $2 " " $3; needed[$3] = 1 }
$1 == "weak" { needed[$3] = 1 }
$1 == "mentions" { needed[$2] = 1 }
$1 == "holds" { held[++nheld] = $2 " " $3 }
$1 == "defines" {
    defines[$2 " " $3] = 1
    definers[$3] = definers[$3] " " $2
}

# ---- what they say -----------------------------------------------------------

# True if the table says that this source is compiled in other builds only.
function is_unbuilt(path,    i)
{
    for (i = 1; i <= nunbuilt; i++)
        if (path ~ unbuilt_re[i])
            return unbuilt_used[i] = 1
    return 0
}

function check_files(    path, stem_path)
{
    for (path in object) {
        if (module_of(path) == "")
            wrong(path ".o belongs to no module")
        if (is_layered(path) && !layer_of(path))
            wrong(path ".o is in no layer of its folder")
    }
    for (path in exists) {
        stem_path = path
        sub(/\.[a-z]+$/, "", stem_path)
        if (module_of(path) == "")
            wrong(path " belongs to no module")
        if (is_layered(path) && !layer_of(path))
            wrong(path " is in no layer of its folder")
        if (path ~ /\.(c|cu|cpp)$/ && !(stem_path in object) && \
            !is_unbuilt(path))
            wrong(path " has not been compiled: make all")
    }
}

function check_uses(    i, j, n, part, path, name, a, b, definer)
{
    for (i = 1; i <= nuses; i++) {
        split(use[i], part, " ")
        path = part[1]
        name = part[2]
        if (name in libc) {
            libc_used[name] = 1
            continue
        }
        a = module_of(path)
        b = symbol_module(name)
        if (b != "") {
            arrow(a, b, path ".o uses " name)
            continue
        }
        n = split(definers[name], definer, " ")
        for (j = 1; j <= n; j++)
            if (module_of(definer[j]) == a) {
                within(path, definer[j], "uses its " name)
                n = 0
            }
        for (j = 1; j <= n; j++)
            arrow(a, module_of(definer[j]), path ".o uses " name " of " \
                  definer[j] ".o")
    }
}

function check_includes(    i, part, target, b)
{
    for (i = 1; i <= nincludes; i++) {
        split(include[i], part, " ")
        target = resolve(part[1], part[2])
        b = module_of(target == "" ? part[2] : target)
        if (b != "")
            arrow(module_of(part[1]), b, part[1] " includes " part[2])
        if (target != "" && b == module_of(part[1]))
            within(part[1], target, "includes it")
    }
}

# True if the table says that a symbol is for others than files of the tree.
function is_outside(name,    i)
{
    for (i = 1; i <= nsymbols; i++)
        if (name ~ symbol_re[i])
            return 1
    for (i = 1; i <= noutside; i++)
        if (name ~ outside_re[i])
            return outside_used[i] = 1
    return 0
}

# What a file defines for others, others use.
function check_unused(    key, part)
{
    for (key in defines) {
        split(key, part, " ")
        if (!(part[2] in needed) && !is_outside(part[2]))
            wrong("no file uses " part[2] " but the one that defines it, " \
                  part[1] ": make it static")
    }
}

# A program holds objects of these modules and no others.
function check_programs(    i, j, n, part, definer, owned, m, fits, key)
{
    for (i = 1; i <= nheld; i++) {
        split(held[i], part, " ")
        n = split(definers[part[2]], definer, " ")
        fits = n == 0
        for (j = 1; j <= n; j++) {
            owned = symbol_module(part[2])
            split(owned != "" ? owned : module_of(definer[j]), m, " ")
            key = part[1] " " m[1]
            if (key in may_hold)
                fits = program_holds[key] = 1
        }
        if (!fits)
            wrong(part[1] " must not hold " part[2] " of " definer[1] ".o")
    }
}

# Take away, again and again, modules that use no other: what stays is a cycle
# or leads to one.
function check_cycles(    key, part, busy, changed, left)
{
    for (key in allowed)
        left[key] = 1
    do {
        changed = 0
        for (key in busy)
            delete busy[key]
        for (key in left) {
            split(key, part, " ")
            busy[part[1]] = 1
        }
        for (key in left) {
            split(key, part, " ")
            if (!(part[2] in busy)) {
                delete left[key]
                changed = 1
            }
        }
    } while (changed)
    for (key in left) {
        split(key, part, " ")
        wrong("a cycle: " part[1] " uses " part[2] ", which leads back")
    }
}

# Each file of a circle uses another, and is used by another.
function check_circles(    path)
{
    for (path in layer_known)
        if (is_circle[layer_known[path]] && \
            !(path in circle_uses && path in circle_used))
            wrong("circle: " path " isn't in it, so it can be a layer")
}

function check_table(    i, key, part)
{
    for (i = 1; i <= npatterns; i++)
        if (!(i in matched))
            wrong("no file matches " pattern[i] " of module " owner[i])
    for (i = 1; i <= nsymbols; i++)
        if (!(i in symbol_used))
            wrong("nothing uses symbols " symbol[i] " of " symbol_owner[i])
    for (i = 1; i <= nlayers; i++)
        if (!(i in layer_used))
            wrong("no file matches layer " layer[i])
    for (i = 1; i <= nunbuilt; i++)
        if (!(i in unbuilt_used))
            wrong("unbuilt " unbuilt[i] ": it is built, or not there")
    for (i = 1; i <= noutside; i++)
        if (!(i in outside_used))
            wrong("outside " outside[i] ": nothing defines it, or it is used")
    for (key in libc)
        if (!(key in libc_used))
            wrong("libc " key ": nothing uses it")
    for (key in upward)
        if (!(key in upward_used))
            wrong("upward " key ": nothing uses it")
    for (key in allowed) {
        split(key, part, " ")
        if (!(part[1] in is_module) || !(part[2] in is_module))
            wrong("uses " key ": not two modules")
        else if (!(key in seen))
            wrong(part[1] " -> " part[2] " is allowed and not used")
    }
    for (key in may_hold)
        if (!(key in program_holds))
            wrong("program " key ": it holds nothing of it")
}

END {
    check_files()
    check_uses()
    check_includes()
    check_unused()
    check_programs()
    check_cycles()
    check_circles()
    check_table()
    exit nwrong > 0
}
