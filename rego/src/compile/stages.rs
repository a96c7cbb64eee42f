//! The table of the stages: OPA's names in OPA's order (`v1/ast/compile.go`, `AllStages`).

use super::{
    Compiler, annotations, checks, comprehension_terms, dynamic_terms, equals, expr_terms, graph, imports, local_vars,
    metadata_calls, module_tree, names, print_calls, recursion, refs_in_head, refused_builtins, resolve_refs, rule_conflicts,
    rule_head_refs, rule_tree, safety, template_strings, types, undefined_funcs, with_values,
};

/// One stage.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// OPA's name.
    pub name: &'static str,
    /// What it does.
    pub run: fn(&mut Compiler),
}

const fn stage(name: &'static str, run: fn(&mut Compiler)) -> Stage {
    Stage { name, run }
}

/// All of them.
pub const STAGES: &[Stage] = &[
    stage("ResolveRefs", resolve_refs::resolve_all_refs),
    stage("CheckUnusedImports", imports::check_unused_imports),
    stage("InitLocalVarGen", names::init_local_var_gen),
    stage("RewriteRuleHeadRefs", rule_head_refs::rewrite_rule_head_refs),
    stage("CheckKeywordOverrides", checks::check_keyword_overrides),
    stage("CheckDuplicateImports", imports::check_duplicate_imports),
    stage("RemoveImports", imports::remove_imports),
    stage("SetModuleTree", module_tree::set_module_tree),
    stage("SetRuleTree", rule_tree::set_rule_tree),
    stage("RewriteLocalVars", local_vars::rewrite_local_vars),
    stage("RewriteTemplateStrings", template_strings::rewrite_template_strings),
    stage("CheckVoidCalls", checks::check_void_calls),
    stage("RewritePrintCalls", print_calls::rewrite_print_calls),
    stage("RewriteExprTerms", expr_terms::rewrite_expr_terms),
    stage("ParseMetadataBlocks", annotations::parse_metadata_blocks),
    stage("SetAnnotationSet", annotations::set_annotation_set),
    stage("RewriteRegoMetadataCalls", metadata_calls::rewrite_rego_metadata_calls),
    stage("SetGraph", graph::set_graph),
    stage("RewriteComprehensionTerms", comprehension_terms::rewrite_comprehension_terms),
    stage("RewriteRefsInHead", refs_in_head::rewrite_refs_in_head),
    stage("RewriteWithValues", with_values::rewrite_with_values),
    stage("CheckRuleConflicts", rule_conflicts::check_rule_conflicts),
    stage("CheckUndefinedFuncs", undefined_funcs::check_undefined_funcs),
    stage("CheckSafetyRuleHeads", safety::check_safety_rule_heads),
    stage("CheckSafetyRuleBodies", safety::check_safety_rule_bodies),
    stage("RewriteEquals", equals::rewrite_equals),
    stage("RewriteDynamicTerms", dynamic_terms::rewrite_dynamic_terms),
    stage("RewriteTestRulesForTracing", dynamic_terms::rewrite_test_rules_for_tracing),
    stage("CheckRecursion", recursion::check_recursion),
    stage("CheckTypes", types::check_types),
    stage("CheckUnsafeBuiltins", refused_builtins::check_unsafe_builtins),
    stage("CheckDeprecatedBuiltins", refused_builtins::check_deprecated_builtins),
    // Indices are made from the result, where rules become programs; nobody asks for the capabilities that a set requires.
    stage("BuildRuleIndices", later),
    stage("BuildComprehensionIndices", later),
    stage("BuildRequiredCapabilities", later),
];

fn later(_: &mut Compiler) {}

#[cfg(test)]
mod tests {
    use super::STAGES;

    /// What `AllStages` of OPA 1.22 says.
    const OPA: &str = "ResolveRefs CheckUnusedImports InitLocalVarGen RewriteRuleHeadRefs CheckKeywordOverrides \
        CheckDuplicateImports RemoveImports SetModuleTree SetRuleTree RewriteLocalVars RewriteTemplateStrings CheckVoidCalls \
        RewritePrintCalls RewriteExprTerms ParseMetadataBlocks SetAnnotationSet RewriteRegoMetadataCalls SetGraph \
        RewriteComprehensionTerms RewriteRefsInHead RewriteWithValues CheckRuleConflicts CheckUndefinedFuncs \
        CheckSafetyRuleHeads CheckSafetyRuleBodies RewriteEquals RewriteDynamicTerms RewriteTestRulesForTracing \
        CheckRecursion CheckTypes CheckUnsafeBuiltins CheckDeprecatedBuiltins BuildRuleIndices BuildComprehensionIndices \
        BuildRequiredCapabilities";

    #[test]
    fn stages_are_those_of_opa() {
        let ours: Vec<_> = STAGES.iter().map(|stage| stage.name).collect();
        assert_eq!(ours, OPA.split_whitespace().collect::<Vec<_>>());
    }
}
